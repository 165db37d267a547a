package pollux

import (
	"math"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

func TestRestartFactor(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		age      float64
		restarts int
		want     float64
	}{{600, 0, .9524}, {600, 2, .8571}, {60, 1, .3333}, {0, 3, leastFactor}, {-5, 0, leastFactor}} {
		j := &policy.Job{Arrive: now.Add(-time.Duration(c.age) * time.Second), StopCount: c.restarts}
		if got := (&Policy{Restart: 30 * time.Second}).restartFactor(&engine.Round{Snapshot: &policy.Snapshot{Now: now}}, j); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("age %g s, %d restarts: %g, want %g", c.age, c.restarts, got, c.want)
		}
	}
}
