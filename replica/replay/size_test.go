package replay

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// sized makes a run of a job that asks for 2 one on so many.
func sized(gpus int) func(*bridge.PastRun) {
	return func(r *bridge.PastRun) { r.GPUs, r.AskedGPUs = gpus, 2 }
}

// TestRunsOnSizesOfOurs: a job that ran on another number of GPUs than it asks for is replayed on what it asks, with as
// much work as that was; what really happened holds what it held.
func TestRunsOnSizesOfOurs(t *testing.T) {
	requeued := func(r *bridge.PastRun) { sized(4)(r); r.StoppedByUs, r.State = true, "REQUEUED" }
	a := past(t, run(7, 0, 5, 15, requeued), run(7, 0, 20, 40, sized(1)), run(8, 0, 0, 10, nil))
	s := site(t, a)
	i := slices.IndexFunc(s.RealRun.JobOutcomes, func(o measure.JobOutcome) bool { return o.ID == 7 })
	// Where nothing is known, 2 GPUs are 2/1.05 times as fast as 1, and 4 are 4/1.15.
	want := 600*(4/1.15)/(2/1.05) + 1200/(2/1.05)
	j, o := s.Jobs[slices.IndexFunc(s.Jobs, func(j workload.Job) bool { return j.ID == 7 })], s.RealRun.JobOutcomes[i]
	if j.GPUs != 2 || math.Abs(j.Duration-want) > 1e-6 || o.GPUCount != 2 || math.Abs(o.ExclusiveRunSeconds-want) > 1e-6 || o.Service != 4*600+1200 || o.HeldSeconds != 1800 {
		t.Errorf("job %+v, outcome %+v, want 2 GPUs for %g s", j, o, want)
	}
	if !slices.ContainsFunc(s.Remarks, func(r string) bool { return strings.Contains(r, "than asked: 1 job") }) {
		t.Errorf("remarks %q", s.Remarks)
	}
	a.LastSeenJobs = map[policy.JobID]policy.Job{7: {ID: 7, Arrive: midnight, Scaling: &policy.Scaling{Points: []policy.SpeedPoint{
		{Type: "a100", Devices: 1, StepsPerSecond: 1}, {Type: "a100", Devices: 2, StepsPerSecond: 2}, {Type: "a100", Devices: 4, StepsPerSecond: 2},
	}}}}
	s = site(t, a)
	if j := s.Jobs[slices.IndexFunc(s.Jobs, func(j workload.Job) bool { return j.ID == 7 })]; math.Abs(j.Duration-1200) > 1e-6 {
		t.Errorf("%g s by its own speeds, want 1200", j.Duration)
	}
}

// TestHistoryOnSizesOfOurs: what is learnt of them is told on what they ask; what the limit ended there teaches nothing.
func TestHistoryOnSizesOfOurs(t *testing.T) {
	got := endedJobs([]bridge.PastRun{
		run(1, -500, -400, -300, sized(1)), run(2, -500, -400, -300, func(r *bridge.PastRun) { sized(1)(r); r.State = "TIMEOUT" }),
		run(3, -500, -400, -300, func(r *bridge.PastRun) { r.State = "TIMEOUT" }),
	}, midnight)
	want := policy.DurationFromSeconds(6000 * 1.05 / 2)
	if len(got) != 2 || got[0].GPUs != 2 || (got[0].Ran-want).Abs() > time.Millisecond || got[1].Ran != 100*time.Minute {
		t.Errorf("%+v, want 2 GPUs for %v, and one more", got, want)
	}
}
