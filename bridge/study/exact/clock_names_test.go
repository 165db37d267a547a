package exact

import (
	"testing"
	"time"
)

func TestClock(t *testing.T) {
	c, err := NamedClock("shockwave", 0)
	if err != nil || c.Round != 2*time.Minute || c.Cost != 20*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	if c, err = NamedClock("gavel", 90*time.Second); err != nil || c.Round != 90*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	if c, err = NamedClock("intervals", 5*time.Second); err != nil || c.Round != 0 || c.Every != 5*time.Second {
		t.Errorf("%+v (%v)", c, err)
	}
	for _, bad := range []struct {
		name  string
		round time.Duration
	}{{"sun", 0}, {"gavel", -1}, {"gavel", time.Millisecond}} {
		if _, err := NamedClock(bad.name, bad.round); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
