package recurring_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/bridge/study/recurring"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// told remembers the last snapshot it was asked about.
type told struct{ jobs []policy.Job }

func (p *told) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p.jobs = append([]policy.Job{}, s.Jobs...)
	return &policy.Plan{}, nil
}

// TestSpeedHistory: policies know of a job what it and those of its kind reported on the sizes they ran on, about as they truly are, and nothing
// of any other size or kind.
func TestSpeedHistory(t *testing.T) {
	curve := recurring.HiddenCurve(rand.New(rand.NewPCG(1, 1)), 16)
	jobs := []workload.Job{{ID: 1, Scaling: curve}, {ID: 2, Scaling: curve}, {ID: 3, Scaling: curve}}
	p := &told{}
	h := recurring.NewSpeedHistory(p, jobs)
	s := &policy.Snapshot{Now: time.Unix(0, 0), Jobs: []policy.Job{
		{ID: 1, User: "u", Name: "a", State: policy.Running, On: policy.Alloc{{Node: "n", Type: "g", Count: 4}}, Scaling: curve},
		{ID: 2, User: "u", Name: "a", State: policy.Pending, Scaling: curve}, {ID: 3, User: "u", Name: "b", State: policy.Pending, Scaling: curve}}}
	for range 3 {
		if _, err := h.Decide(s); err != nil {
			t.Fatal(err)
		}
	}
	want := recurring.SpeedOn(&jobs[0], 4)
	for i, j := range p.jobs[:2] {
		if j.Scaling == nil || len(j.Scaling.Points) != 1 || j.Scaling.Points[0].Devices != 4 || math.Abs(j.Scaling.Points[0].StepsPerSecond/want-1) > .2 {
			t.Errorf("of job %d %+v, want about %.2f on 4", i+1, j.Scaling, want)
		}
	}
	if p.jobs[2].Scaling != nil {
		t.Errorf("of another kind %+v", p.jobs[2].Scaling)
	}
	if s.Jobs[1].Scaling != curve {
		t.Error("the snapshot was changed")
	}
}
