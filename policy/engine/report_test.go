package engine_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// TestLossesAloneTellNoEnd: a job that reports its losses, but not how much work it has, runs as long as its limit says.
func TestLossesAloneTellNoEnd(t *testing.T) {
	losses := []policy.LossPoint{{Step: 10, Loss: 2}}
	for _, c := range []struct {
		training *policy.Training
		want     time.Duration
	}{{nil, 2 * time.Hour}, {&policy.Training{StepsDone: 10, Losses: losses}, 2 * time.Hour}, {&policy.Training{Steps: 100, StepsDone: 10, Losses: losses}, time.Minute}} {
		e := &engine.Entry{Job: &policy.Job{Limit: 2 * time.Hour, State: policy.Pending, Training: c.training}}
		e.SetEstimate(engine.TimeLeftEstimate{TimeLeft: time.Minute})
		if got, ok := engine.RunLengthByReport(&engine.Round{Snapshot: &policy.Snapshot{}}, e); got != c.want || !ok {
			t.Errorf("%+v: %v, want %v", c.training, got, c.want)
		}
	}
}
