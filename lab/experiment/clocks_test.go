package experiment

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	c, err := NewClock("shockwave", 0)
	if err != nil || c.RoundLength != 2*time.Minute || c.RestartCost != 20*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	if c, err = NewClock("gavel", 90*time.Second); err != nil || c.RoundLength != 90*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	if c, err = NewClock("intervals", 5*time.Second); err != nil || c.RoundLength != 0 || c.MinInterval != 5*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	for _, bad := range []struct {
		name  string
		round time.Duration
	}{{"sun", 0}, {"gavel", -1}, {"gavel", time.Millisecond}} {
		if _, err := NewClock(bad.name, bad.round); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestSimulators: every clock has one, and settings made by hand go by package exact.
func TestSimulators(t *testing.T) {
	for _, name := range append(ClockNames(), "") {
		if SimulatorOf(name) == nil {
			t.Errorf("nothing simulates by clock %q", name)
		}
	}
}
