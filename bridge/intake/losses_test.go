package intake

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// TestLossesReachPolicies: those of earlier runs and of just now, whether the job waits or runs, and whatever else it
// reports of itself.
func TestLossesReachPolicies(t *testing.T) {
	point := func(step, loss float64) policy.LossPoint { return policy.LossPoint{Step: step, Loss: loss} }
	past := []policy.LossPoint{point(0, 5), point(100, 4)}
	now := point(200, 3)
	training := &policy.Training{Steps: 1000, StepsDone: 210, Rates: []policy.Rate{{StepsPerSecond: 2}}}
	for name, c := range map[string]struct {
		runs bool
		past []policy.LossPoint
		use  bridge.JobUse
		want *policy.Training
	}{
		"nothing":              {true, nil, bridge.JobUse{}, nil},
		"work without losses":  {true, nil, bridge.JobUse{Training: training}, training},
		"work and losses":      {true, past, bridge.JobUse{Training: training, Loss: &now}, &policy.Training{Steps: 1000, StepsDone: 210, Rates: training.Rates, Losses: append(past[:2:2], now)}},
		"losses alone":         {true, past, bridge.JobUse{Loss: &now}, &policy.Training{Steps: 900, StepsDone: 200, Losses: append(past[:2:2], now)}},
		"it waits again":       {false, past, bridge.JobUse{}, &policy.Training{Steps: 900, StepsDone: 100, Losses: past}},
		"it lost work":         {true, past, bridge.JobUse{Loss: &policy.LossPoint{Step: 50, Loss: 4.5}}, &policy.Training{Steps: 900, StepsDone: 50, Losses: []policy.LossPoint{point(0, 5), point(50, 4.5)}}},
		"the same report":      {true, past, bridge.JobUse{Loss: &past[1]}, &policy.Training{Steps: 900, StepsDone: 100, Losses: past}},
		"the first, just now":  {true, nil, bridge.JobUse{Loss: &now}, &policy.Training{Steps: 900, StepsDone: 200, Losses: []policy.LossPoint{now}}},
		"it waits, never told": {false, nil, bridge.JobUse{}, nil},
	} {
		w := world(t, sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", GPUsPerNode: 4, TimeLimit: time.Hour, WorkTime: time.Hour})
		if c.runs {
			w.Advance(w.Now().Add(2 * time.Minute))
		}
		in := Input{View: view(t, w), UseByJob: map[int64]bridge.JobUse{1: c.use}, Past: &bridge.Past{LossesOf: func(*policy.Job) bridge.LossHistory {
			return bridge.LossHistory{Points: c.past, TotalSteps: 900}
		}}}
		if d := cmp.Diff(c.want, AssembleSnapshot(in, preempting("gpu")).Job(1).Training); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
