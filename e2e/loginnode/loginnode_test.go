package loginnode

import (
	"strings"
	"testing"
)

// TestLoginNode tries a login node from all sides; its parts share a daemon with 10,000 jobs.
func TestLoginNode(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a daemon with 10,000 jobs; not with -short")
	}
	s := newStage(t, play{mode: "observe", interval: "10m", jobs: jobCount})
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"who asks", s.testWhoAsks}, {"credentials", s.testCredentials}, {"clocks", s.testSkew}, {"proxy", s.testProxy}, {"acting", s.testActing}, {"rows", s.testRows},
		{"another's job", s.testOthersJob}, {"nothing of others", s.testNothingOfOthers}, {"hostile names", s.testHostileNames}, {"client.yaml", s.testClientFile},
		{"paths", s.testPaths}, {"sizes", s.testSizes}, {"slow clients", s.testSlowClients}, {"flood", s.testFlood}, {"commands", s.testCommands}, {"without Slurm", s.testWithoutSlurm}, // the last: it does not come back
	} {
		t.Run(part.name, func(t *testing.T) {
			before := s.t
			s.t = t
			defer func() { s.t = before }()
			part.run(t)
		})
	}
	for _, secret := range []string{proxySecret, "MUNGE:", "__Host-", "\x1b"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the daemon's log shows %q", secret)
		}
	}
	if n := s.writes(); n != 0 {
		t.Errorf("%d requests to Slurm were writes", n)
	}
}
