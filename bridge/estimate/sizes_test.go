package estimate_test

import (
	"maps"
	"testing"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
)

// elastic lets a job run on 2 to 8 GPUs, on which it goes as fast as there are many.
func elastic(j policy.Job) policy.Job {
	j.MinGPUs, j.MaxGPUs = 2, 8
	j.Scaling = &policy.Scaling{Source: policy.ScalingFromReports, Points: []policy.SpeedPoint{{Devices: 2, StepsPerSecond: 2}, {Devices: 8, StepsPerSecond: 8}}}
	return j
}

// TestRunsOnSizesOfOurs: what is predicted of a job is about as many GPUs as it asks for; on half of them it
// runs twice as long, within its limit.
func TestRunsOnSizesOfOurs(t *testing.T) {
	for held, want := range map[int]time.Duration{2: 2 * time.Hour, 4: time.Hour, 8: time.Hour / 2} {
		j := elastic(running(1, "n1", 4, time.Hour, 3*time.Minute, 20*time.Hour))
		j.On[0].Count = held
		got := estimateAll(scene(j, waiting(2, 8, 2*time.Hour, 24*time.Hour)), 2)
		near(t, "end", got[1].End.Middle, want)
		near(t, "start of the one behind", got[2].Start.Middle, want)
	}
	j := elastic(running(1, "n1", 4, time.Hour, 3*time.Minute, 90*time.Minute))
	j.On[0].Count = 2
	near(t, "end by the limit", estimateAll(scene(j))[1].End.Late, 90*time.Minute)
}

// TestSpeedsThatAreNotKnownAreDoubted: a size that nobody measured makes the band wider.
func TestSpeedsThatAreNotKnownAreDoubted(t *testing.T) {
	width := func(sigma float64) time.Duration {
		j := elastic(running(1, "n1", 4, time.Hour, 3*time.Minute, 20*time.Hour))
		j.On[0].Count, j.Scaling.RelativeSigma = 2, sigma
		b := estimateAll(scene(j))[1].End
		return b.Late.Sub(b.Early)
	}
	if sure, unsure := width(0), width(.5); unsure < 2*sure {
		t.Errorf("%v wide with a measured speed, %v with a guess", sure, unsure)
	}
}

// TestPlannedSizesCount: a job that the plan starts on half of what it asks for has room there, and runs longer.
func TestPlannedSizesCount(t *testing.T) {
	s := scene(running(1, "n1", 6, 10*time.Hour, 3*time.Minute, 20*time.Hour), elastic(waiting(2, 4, time.Hour, 24*time.Hour)))
	p := &policy.Plan{Decisions: []policy.Decision{{Job: 1, Verb: policy.Keep, On: s.Jobs[0].On, GPUs: 6}, {Job: 2, Verb: policy.Start, Rank: 1, GPUs: 2, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 2}}}}}
	in := estimate.Input{Snapshot: s, Line: []policy.JobID{2}, Sizes: estimate.SizesOfPlan(s, p)}
	got := estimate.EstimateJobs(in)[1]
	near(t, "start on half", got.Start.Middle, 0)
	near(t, "end on half", got.End.Middle, 2*time.Hour)
	in.Sizes = nil
	near(t, "start on what it asks", estimate.EstimateJobs(in)[1].Start.Middle, 10*time.Hour)
}

// TestSizesOfPlan: only jobs that start, on other GPUs than they ask for.
func TestSizesOfPlan(t *testing.T) {
	on := func(typ string, n int) policy.Alloc { return policy.Alloc{{Node: "n1", Type: typ, Count: n}} }
	s := scene(running(1, "n1", 4, time.Hour, 0, time.Hour), waiting(2, 4, 0, 0), waiting(3, 4, 0, 0), waiting(4, 4, 0, 0), waiting(5, 4, 0, 0), waiting(6, 4, 0, 0))
	s.Jobs[4].Ask.GPUs.Type, s.Jobs[5].Tasks = "", 3
	p := &policy.Plan{Decisions: []policy.Decision{
		{Job: 1, Verb: policy.Resize, GPUs: 2, On: on("a100", 2)}, {Job: 2, Verb: policy.Start, GPUs: 4, On: on("a100", 4)}, {Job: 3, Verb: policy.Start, GPUs: 4, On: on("v100", 4)},
		{Job: 4, Verb: policy.Wait, GPUs: 2}, {Job: 5, Verb: policy.Start, GPUs: 2, On: on("v100", 2)}, {Job: 6, Verb: policy.Start, GPUs: 2, On: on("a100", 2)},
	}}
	want := map[policy.JobID]policy.GPUs{3: {Type: "v100", Count: 4}, 5: {Count: 2}}
	if got := estimate.SizesOfPlan(s, p); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
