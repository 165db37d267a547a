package catalogue_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// TestReportsOfAnySize: a job may report of itself whatever a report may hold (package nodeprobe bounds rates), and every
// policy still decides lawfully on all.
func TestReportsOfAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 25 {
		s := policytest.GenerateSnapshots().Example(n)
		for i := range s.Jobs {
			s.Jobs[i].Training, s.Jobs[i].Scaling = drawOddTraining(r), drawOddScaling(r)
		}
		for _, e := range catalogue.Systems() {
			plan, err := mustNew(t, e.Name, nil).Decide(s)
			if err != nil {
				t.Errorf("policy %s on snapshot %d: %v", e.Name, n, err)
				continue
			}
			if err := plan.Check(s); err != nil {
				t.Errorf("policy %s on snapshot %d: %v", e.Name, n, err)
			}
			if _, err := json.Marshal(plan); err != nil {
				t.Errorf("policy %s on snapshot %d: %v", e.Name, n, err)
			}
		}
	}
}

func drawOf(r *rand.Rand, from ...float64) float64 { return from[r.IntN(len(from))] }

func drawRate(r *rand.Rand) float64 { return drawOf(r, 1e-9, 1e-6, 1, 2, 3, 1e6, 1e9) }

func drawOddTraining(r *rand.Rand) *policy.Training {
	if r.IntN(2) == 0 {
		return nil
	}
	t := &policy.Training{Steps: drawOf(r, 0, 1e15)}
	for range r.IntN(12) {
		t.StepsDone += drawOf(r, 1e-320, 1, 2, 1e9)
		loss := policy.LossPoint{Step: t.StepsDone, Loss: drawOf(r, 0, -1.7e308, 1.7e308, 1e308, 1e-320, -1e-320, 1e200, 1, 2, 3)}
		if n := len(t.Losses); n == 0 || t.Losses[n-1].Step < loss.Step {
			t.Losses = append(t.Losses, loss)
		}
	}
	if r.IntN(2) == 0 {
		t.Rates = []policy.Rate{{StepsPerSecond: drawRate(r)}}
	}
	return t
}

func drawOddScaling(r *rand.Rand) *policy.Scaling {
	if r.IntN(2) == 0 {
		return nil
	}
	s := &policy.Scaling{}
	for devices := 1; devices < 5; devices++ {
		s.Points = append(s.Points, policy.SpeedPoint{Type: "a100", Devices: devices, Nodes: 1, StepsPerSecond: drawRate(r)})
	}
	return s
}
