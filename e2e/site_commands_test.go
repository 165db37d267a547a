package e2e

import (
	"os/exec"
	"strings"
)

// tryFairbridge runs a command that may fail.
func (s *site) tryFairbridge(args ...string) (string, error) {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := exec.CommandContext(s.t.Context(), path, append([]string{"-c", s.conf}, args...)...).CombinedOutput()
	return string(out), err
}

// initDatabase lays out the schema. On a very busy machine Postgres may not answer in time.
func (s *site) initDatabase() {
	s.t.Helper()
	for range 9 {
		if out, err := s.tryFairbridge("db", "init"); err == nil || !strings.Contains(out, "cannot be reached") {
			break
		}
	}
	s.fairbridge("db", "init")
}
