package exact

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	c, err := NewClockByName("shockwave", 0)
	if err != nil || c.RoundLength != 2*time.Minute || c.RestartCost != 20*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	if c, err = NewClockByName("gavel", 90*time.Second); err != nil || c.RoundLength != 90*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	if c, err = NewClockByName("intervals", 5*time.Second); err != nil || c.RoundLength != 0 || c.MinInterval != 5*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	for _, bad := range []struct {
		name  string
		round time.Duration
	}{{"sun", 0}, {"gavel", -1}, {"gavel", time.Millisecond}} {
		if _, err := NewClockByName(bad.name, bad.round); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
