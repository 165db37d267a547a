package e2e

import (
	"bytes"
	"strings"
	"sync"
)

// output is what a program says, readable while it runs.
type output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}

// saysBusy reports whether a line of the daemon's log tells of a machine too slow for a limit: an answer or a cycle took too long, or
// what was seen was old, or leadership nearly over, before it could be used.
func saysBusy(line string) bool {
	return strings.Contains(line, "deadline exceeded") || strings.Contains(line, `cause="gate I13"`) || strings.Contains(line, `cause="gate I14"`)
}

// endQuietly asks the daemon to end, and wants no error in its log: none of its end, and before that none but of a busy machine.
func (s *site) endQuietly() {
	s.t.Helper()
	before := len(s.log.String())
	s.kill(15)
	log := s.log.String()
	for line := range strings.Lines(log[:before]) {
		if strings.Contains(line, "level=ERROR") && !saysBusy(line) {
			s.t.Errorf("it says %s", line)
		}
	}
	if strings.Contains(log[before:], "level=ERROR") {
		s.t.Errorf("a clean end is logged as an error:\n%s", log)
	}
}
