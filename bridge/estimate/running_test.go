package estimate_test

import (
	"testing"
	"time"

	"fairbridge/bridge/estimate"
)

// A running job is the likelier to be done the later, surely never, and what its time limit ends is not done.
func TestChanceOfRun(t *testing.T) {
	sure := scene(running(1, "n1", 8, time.Hour, 6*time.Minute, 20*time.Hour))
	last := 0.
	for _, c := range []struct {
		in          time.Duration
		least, most float64
	}{{-time.Minute, .05, .05}, {20 * time.Minute, .05, .05}, {time.Hour, .45, .55}, {3 * time.Hour, .95, .95}} {
		got, likelyBy := estimate.ChanceOfRun(sure, &sure.Jobs[0], noon.Add(c.in), .8)
		if got < c.least || got > c.most || got < last {
			t.Errorf("within %v: %v, want %v to %v", c.in, got, c.least, c.most)
		}
		if after := likelyBy.Sub(noon); after <= time.Hour || after > 80*time.Minute {
			t.Errorf("likely by %v", likelyBy)
		}
		if again, _ := estimate.ChanceOfRun(sure, &sure.Jobs[0], likelyBy, .8); again < .8 || again > .9 {
			t.Errorf("by when it is likely the chance is %v", again)
		}
		last = got
	}
	killed := scene(running(1, "n1", 8, 10*time.Hour, time.Hour, 2*time.Hour))
	if got, likelyBy := estimate.ChanceOfRun(killed, &killed.Jobs[0], noon.Add(90*time.Hour), .8); got != .05 || !likelyBy.IsZero() {
		t.Errorf("what its limit ends: %v, likely by %v", got, likelyBy)
	}
	unlimited := scene(running(1, "n1", 8, 10*time.Hour, time.Hour, 2*time.Hour))
	unlimited.Jobs[0].Limit = 0
	if got, _ := estimate.ChanceOfRun(unlimited, &unlimited.Jobs[0], noon.Add(90*time.Hour), .8); got != .95 {
		t.Errorf("without a limit: %v", got)
	}
}

// What an oracle says is left is not doubted.
func TestTheTruthIsNotDoubted(t *testing.T) {
	s := scene(running(1, "n1", 8, time.Hour, 0, 20*time.Hour))
	s.PredictionTrust = 1
	for in, want := range map[time.Duration]float64{45 * time.Minute: .05, 75 * time.Minute: .95} {
		if got, _ := estimate.ChanceOfRun(s, &s.Jobs[0], noon.Add(in), .8); got != want {
			t.Errorf("done within %v of the hour that is left: %v, want %v", in, got, want)
		}
	}
}
