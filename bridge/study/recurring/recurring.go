// Package recurring simulates what is known of jobs that come again: what their earlier runs reported of
// their speed, by size, and nothing else of how fast they would be elsewhere.
package recurring

import (
	"math"
	"math/rand/v2"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
	"fairbridge/policy/recurrence"
	"fairbridge/policy/scaling"
)

// SpeedHistory is a policy that is told of each job what those that it is recognised by (recurrence.Keys) reported of their speed so far,
// as live: once from every run, with an error.
type SpeedHistory struct {
	policy.Policy
	Noise float64 // standard error of a report, as a part of the speed
	Seed  uint64
	truth map[policy.JobID]*workload.Job
	byKey map[recurrence.Key][]scaling.Measured
	said  map[policy.JobID]int // the size a job reported of last
}

// NewSpeedHistory returns that of a policy and a workload, of whose jobs Scaling is the truth.
func NewSpeedHistory(p policy.Policy, jobs []workload.Job) *SpeedHistory {
	h := &SpeedHistory{Policy: p, Noise: .05, truth: map[policy.JobID]*workload.Job{}, byKey: map[recurrence.Key][]scaling.Measured{}, said: map[policy.JobID]int{}}
	for i := range jobs {
		h.truth[policy.JobID(jobs[i].ID)] = &jobs[i]
	}
	return h
}

// Decide implements policy.Policy.
func (h *SpeedHistory) Decide(s *policy.Snapshot) (*policy.Plan, error) {
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
func (h *SpeedHistory) report(j *policy.Job) {
	n := j.On.Count()
	h.said[j.ID] = n
	off := rand.New(rand.NewPCG(h.Seed^uint64(j.ID), uint64(n))).NormFloat64()
	seen := scaling.Measured{SpeedPoint: policy.SpeedPoint{Type: j.On.FirstType(), Devices: n, StepsPerSecond: SpeedOn(h.truth[j.ID], n) * math.Max(1+h.Noise*off, .1)}}
	for _, key := range recurrence.Keys(j.User, j.Name) {
		h.byKey[key] = append(h.byKey[key], seen)
	}
}

// reportsOf is what jobs of the very name reported, else those that it is recognised by.
func (h *SpeedHistory) reportsOf(j *policy.Job) ([]scaling.Measured, policy.ScalingSource) {
	seen, _, closer := recurrence.Find(h.byKey, j.User, j.Name)
	if closer > 0 {
		return seen, policy.ScalingFromRecurring
	}
	return seen, policy.ScalingFromClass
}

// SpeedOn is how fast a job of a workload truly goes on so many GPUs, in a unit of its own.
func SpeedOn(j *workload.Job, devices int) float64 {
	for _, p := range j.Scaling.Points {
		if p.Devices == devices {
			return p.StepsPerSecond
		}
	}
	return 0
}

// HiddenCurve draws how fast jobs of a kind go: k/(1+a(k-1)), and beyond eight GPUs slower than that where they
// do not fit on one node: k/(1+a(k-1)+b).
func HiddenCurve(r *rand.Rand, most int) *policy.Scaling {
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
