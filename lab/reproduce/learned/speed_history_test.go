package learned

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/recurrence"
	"fairbridge/policy/scaling"
	"fairbridge/replica/workload"
)

// speedHistory simulates what is known of jobs that come again: it is a policy that is told of each job what
// those that it is recognised by (recurrence.Keys) reported of their speed so far, as live: once from every
// run, with an error.
type speedHistory struct {
	policy.Policy
	Noise float64 // standard error of a report, as a part of the speed
	Seed  uint64
	truth map[policy.JobID]*workload.Job
	byKey map[recurrence.Key][]scaling.Measured
	said  map[policy.JobID]int // the size a job reported of last
}

// newSpeedHistory returns that of a policy and a workload, of whose jobs Scaling is the truth.
func newSpeedHistory(p policy.Policy, jobs []workload.Job) *speedHistory {
	h := &speedHistory{
		Policy: p,
		Noise:  .05,
		truth:  map[policy.JobID]*workload.Job{},
		byKey:  map[recurrence.Key][]scaling.Measured{},
		said:   map[policy.JobID]int{},
	}
	for i := range jobs {
		h.truth[policy.JobID(jobs[i].ID)] = &jobs[i]
	}
	return h
}

// Decide implements policy.Policy.
func (h *speedHistory) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	told := *s
	told.Jobs = append([]policy.Job(nil), s.Jobs...)
	for i := range told.Jobs {
		if j := &told.Jobs[i]; j.HoldsGPUs() && h.said[j.ID] != j.On.Count() {
			h.report(j)
		}
	}
	for i := range told.Jobs {
		j := &told.Jobs[i]
		seen, source := h.reportsOf(j)
		j.Scaling = scaling.FromMeasured(source, seen, 0)
	}
	return h.Policy.Decide(&told)
}

// report notes how fast a job goes on what it holds.
func (h *speedHistory) report(j *policy.Job) {
	n := j.On.Count()
	h.said[j.ID] = n
	off := rand.New(rand.NewPCG(h.Seed^uint64(j.ID), uint64(n))).NormFloat64()
	seen := scaling.Measured{
		SpeedPoint: policy.SpeedPoint{
			Type:           j.On.FirstType(),
			Devices:        n,
			StepsPerSecond: speedOn(h.truth[j.ID], n) * math.Max(1+h.Noise*off, .1),
		},
	}
	for _, key := range recurrence.Keys(j.User, j.Name) {
		h.byKey[key] = append(h.byKey[key], seen)
	}
}

// reportsOf is what jobs of the very name reported, else those that it is recognised by.
func (h *speedHistory) reportsOf(j *policy.Job) ([]scaling.Measured, policy.ScalingSource) {
	seen, _, closer := recurrence.Find(h.byKey, j.User, j.Name)
	if closer > 0 {
		return seen, policy.ScalingFromRecurring
	}
	return seen, policy.ScalingFromClass
}

// speedOn is how fast a job of a workload truly goes on so many GPUs, in a unit of its own.
func speedOn(j *workload.Job, devices int) float64 {
	for _, p := range j.Scaling.Points {
		if p.Devices == devices {
			return p.StepsPerSecond
		}
	}
	return 0
}

// hiddenCurve draws how fast jobs of a kind go: k/(1+a(k-1)), and beyond eight GPUs slower than that where they
// do not fit on one node: k/(1+a(k-1)+b).
func hiddenCurve(r *rand.Rand, most int) *policy.Scaling {
	a, b := .005*math.Pow(60, r.Float64()), 3*r.Float64()
	s := &policy.Scaling{Source: policy.ScalingFromTable}
	for k := 1; k <= most; k++ {
		below := 1 + a*float64(k-1)
		if k > 8 {
			below += b
		}
		s.Points = append(s.Points, policy.SpeedPoint{Devices: k, StepsPerSecond: float64(k) / below})
	}
	return s
}

// told remembers the last snapshot it was asked about.
type told struct{ jobs []policy.Job }

func (p *told) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p.jobs = append([]policy.Job{}, s.Jobs...)
	return &policy.Plan{}, nil
}

// TestSpeedHistory: policies know of a job what it and those of its kind reported on the sizes they ran on,
// about as they truly are, and nothing of any other size or kind.
func TestSpeedHistory(t *testing.T) {
	curve := hiddenCurve(rand.New(rand.NewPCG(1, 1)), 16)
	jobs := []workload.Job{{ID: 1, Scaling: curve}, {ID: 2, Scaling: curve}, {ID: 3, Scaling: curve}}
	p := &told{}
	h := newSpeedHistory(p, jobs)
	s := &policy.Snapshot{Now: time.Unix(0, 0), Jobs: []policy.Job{
		{
			ID:      1,
			User:    "u",
			Name:    "a",
			State:   policy.Running,
			On:      policy.Alloc{{Node: "n", Type: "g", Count: 4}},
			Scaling: curve,
		},
		{
			ID:      2,
			User:    "u",
			Name:    "a",
			State:   policy.Pending,
			Scaling: curve,
		}, {ID: 3, User: "u", Name: "b", State: policy.Pending, Scaling: curve}}}
	for range 3 {
		if _, err := h.Decide(s); err != nil {
			t.Fatal(err)
		}
	}
	want := speedOn(&jobs[0], 4)
	for i, j := range p.jobs[:2] {
		if j.Scaling == nil || len(j.Scaling.Points) != 1 || j.Scaling.Points[0].Devices != 4 ||
			math.Abs(j.Scaling.Points[0].StepsPerSecond/want-1) > .2 {
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
