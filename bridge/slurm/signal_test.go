package slurm

import (
	"testing"
)

func TestSignalsAreAClosedList(t *testing.T) {
	for _, ok := range []string{"USR1", "SIGUSR2", "TERM", "CONT"} {
		if s, err := ParseSignal(ok); err != nil || !s.IsKnown() {
			t.Errorf("%q: %q %v", ok, s, err)
		}
	}
	for _, bad := range []string{"", "0", "9", "KILL", "SIGKILL", "STOP", "usr1", "USR1 ", "USR3", "SIG", "NOSUCH", "SIGSIGUSR1"} {
		if s, err := ParseSignal(bad); err == nil || s != "" || Signal(bad).IsKnown() {
			t.Errorf("%q was taken for %q", bad, s)
		}
	}
}
