package study

import (
	"math"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// TestStoppableShare: who may be stopped follows from seed and job alone, a larger part holds
// the smaller, and the parts are as large as asked.
func TestStoppableShare(t *testing.T) {
	const count = 20_000
	draw := func(share float64, seed int64) []workload.Job {
		jobs := make([]workload.Job, count)
		for i := range jobs {
			jobs[i] = workload.Job{ID: int64(i + 1), IsUnstoppable: i%2 == 0}
		}
		SetStoppableShare(jobs, share, seed)
		return jobs
	}
	none, third, half, all, other := draw(0, 1), draw(0.3, 1), draw(0.5, 1), draw(1, 1), draw(0.5, 2)
	halves, differ := 0, 0
	for i := range half {
		if !none[i].IsUnstoppable || all[i].IsUnstoppable || !third[i].IsUnstoppable && half[i].IsUnstoppable {
			t.Fatalf("job %d: none %v, third %v, half %v, all %v", i+1, none[i].IsUnstoppable, third[i].IsUnstoppable, half[i].IsUnstoppable, all[i].IsUnstoppable)
		}
		if !half[i].IsUnstoppable {
			halves++
		}
		if half[i].IsUnstoppable != other[i].IsUnstoppable {
			differ++
		}
	}
	for what, n := range map[string]int{"may be stopped": halves, "differ from another seed": differ} {
		if n < count*48/100 || n > count*52/100 {
			t.Errorf("%d of %d %s, want about half", n, count, what)
		}
	}
}

// seesLeft notes what it is told.
type seesLeft struct{ seen policy.Snapshot }

func (s *seesLeft) Decide(snap *policy.Snapshot) (*policy.Plan, error) {
	s.seen = *snap
	return &policy.Plan{}, nil
}

// TestNoise: what remains is off by a factor of each job's own, log-normal, and the snapshot
// stays as it was.
func TestNoise(t *testing.T) {
	snap := &policy.Snapshot{}
	for i := range 4000 {
		snap.Jobs = append(snap.Jobs, policy.Job{ID: policy.JobID(i + 1), PredictedLeft: 100 * time.Hour, Progress: policy.KnownValue(0.5), Training: &policy.Training{Steps: 300, StepsDone: 100, Epochs: 30, EpochsDone: 10}})
	}
	p := &seesLeft{}
	noisy := noisyPolicy{p, 2, 7}
	if _, err := noisy.Decide(snap); err != nil {
		t.Fatal(err)
	}
	sum, squares := 0.0, 0.0
	for i := range snap.Jobs {
		was, got := &snap.Jobs[i], &p.seen.Jobs[i]
		if was.PredictedLeft != 100*time.Hour || was.Training.Steps != 300 || was.Training.Epochs != 30 || was.Progress.Value != 0.5 {
			t.Fatalf("job %d of the snapshot was changed: %+v", was.ID, was)
		}
		factor := got.PredictedLeft.Hours() / 100
		if byReport := (got.Training.Steps - 100) / 200; math.Abs(byReport/factor-1) > 1e-6 {
			t.Fatalf("job %d: predicted off by %g, reported by %g", was.ID, factor, byReport)
		}
		if byShare := (1 - got.Progress.Value) / got.Progress.Value; math.Abs(byShare/factor-1) > 1e-6 {
			t.Fatalf("job %d: predicted off by %g, its share by %g", was.ID, factor, byShare)
		}
		if got.Training.Epochs <= 10 || got.Training.EpochsDone != 10 {
			t.Fatalf("job %d: %d of %d epochs", was.ID, got.Training.EpochsDone, got.Training.Epochs)
		}
		sum += math.Log2(factor)
		squares += math.Log2(factor) * math.Log2(factor)
	}
	n := float64(len(snap.Jobs))
	if mean, deviation := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 0.05 || math.Abs(deviation-1) > 0.05 {
		t.Errorf("logarithms to base 2: mean %g, deviation %g, want 0 and 1", mean, deviation)
	}
}
