package slaq_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/slaq"
)

// reporter is a job on 1 to 8 GPUs, linear in their number, whose loss is 1/(n/10+1), times a
// unit, after n iterations, of which each GPU does ten in half an hour.
func reporter(iterations, unit float64) policy.Job {
	j := policy.Job{User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, MinGPUs: 1, MaxGPUs: 8,
		Scaling:  &policy.Scaling{SerialPart: 0},
		Training: &policy.Training{Steps: 1e9, StepsDone: iterations, Rates: []policy.Rate{{Type: "g", StepsPerSecond: 10. / 1800}}}}
	for i := range 11 {
		n := iterations * float64(i) / 10
		j.Training.Losses = append(j.Training.Losses, policy.LossPoint{Step: n, Loss: unit / (n/10 + 1)})
	}
	return j
}

func sizes(t interface{ Fatal(...any) }, gpus int, params paper.Params, jobs ...policy.Job) (got []int, plan *policy.Plan) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	for i, j := range jobs {
		j.ID, j.Arrive = policy.JobID(i+1), policytest.SnapshotTime.Add(time.Duration(i-100)*time.Second)
		s.Jobs = append(s.Jobs, j)
	}
	p, err := slaq.System().New(params)
	if err != nil {
		t.Fatal(err)
	}
	plan, err = p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		got = append(got, d.On.Count())
	}
	return got, plan
}

func running(j policy.Job, gpus int) policy.Job {
	j.State, j.Start, j.On = policy.Running, policytest.SnapshotTime.Add(-5*time.Hour), policy.Alloc{{Node: "n1", Type: "g", Count: gpus}}
	return j
}

func TestMicro(t *testing.T) {
	for _, unit := range []float64{1, 1e-3, 1e6} {
		if got, _ := sizes(t, 6, nil, reporter(10, unit), reporter(100, 1)); got[0] != 5 || got[1] != 1 {
			t.Errorf("in units of %g: %v, want 5 and 1", unit, got)
		}
	}
}

// TestNoSizesAreBetter tries all divisions of a few GPUs among three jobs: none lowers the
// losses more, each relative to how far it fell.
func TestNoSizesAreBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.IntRange(3, 12).Draw(t, "gpus")
		var jobs []policy.Job
		var at []float64
		for range 3 {
			n := rapid.Float64Range(5, 300).Draw(t, "iterations")
			at, jobs = append(at, n), append(jobs, reporter(n, rapid.Float64Range(.1, 10).Draw(t, "unit")))
		}
		fall := func(sizes ...int) (sum float64) {
			for i, n := range at {
				sum += (1/(n/10+1) - 1/((n+10*float64(sizes[i]))/10+1)) / (1 - 1/(n/10+1))
			}
			return sum
		}
		got, _ := sizes(t, gpus, nil, jobs...)
		best := 0.0
		for a := 1; a <= 8; a++ {
			for b := 1; b <= 8; b++ {
				if c := gpus - a - b; c >= 1 {
					best = max(best, fall(a, b, min(c, 8)))
				}
			}
		}
		if sum := fall(got...); min(got[0], got[1], got[2]) < 1 || sum < best*(1-1e-3) {
			t.Fatalf("%v of %d GPUs lower losses by %g, want %g and no job without", got, gpus, sum, best)
		}
	})
}

// TestTakesPart: who reports no losses, or declares no range, gets what it asks; who is new may
// have what it asks, and no more.
func TestTakesPart(t *testing.T) {
	silent, rigid, fresh := reporter(10, 1), reporter(10, 1), reporter(10, 1)
	silent.Training, silent.Ask.GPUs.Count = nil, 2
	rigid.MinGPUs, rigid.MaxGPUs, rigid.Ask.GPUs.Count = 0, 0, 2
	fresh.Training.Losses, fresh.Ask.GPUs.Count = fresh.Training.Losses[:1], 3
	got, plan := sizes(t, 12, nil, silent, rigid, fresh, reporter(100, 1))
	if got[0] != 2 || got[1] != 2 || got[2] != 3 || got[3] != 5 {
		t.Errorf("%v, want 2, 2, 3 and the rest", got)
	}
	for i, want := range []string{"does not take part", "does not take part", "not reported enough losses", "its loss falls by"} {
		if why := plan.Decisions[i].Why; !strings.Contains(why, want) {
			t.Errorf("job %d: %q, want %q", i+1, why, want)
		}
	}
	garbled := reporter(10, 1)
	garbled.Training.Losses[3].Loss = math.NaN()
	if got, _ := sizes(t, 8, nil, garbled); got[0] != 1 {
		t.Errorf("of losses that are no numbers: %v, want what is asked", got)
	}
}

// TestKeepsWhatIsNotWorthARestart: running jobs keep their size where that changes little, or
// the restart takes most of the round, and shrink for those that start.
func TestKeepsWhatIsNotWorthARestart(t *testing.T) {
	early, late := reporter(20, 1), reporter(400, 1)
	if got, _ := sizes(t, 8, nil, running(early, 5), running(late, 2)); got[0] != 5 || got[1] != 2 {
		t.Errorf("%v, want 5 and 2 as before: 7 is less than half as many again", got)
	}
	if got, _ := sizes(t, 8, paper.Params{"step": 1.}, running(early, 5), running(late, 2)); got[0] != 7 || got[1] != 1 {
		t.Errorf("%v, want 7 and 1", got)
	}
	early.CheckpointCost = 14 * time.Minute
	if got, _ := sizes(t, 8, nil, running(early, 4), running(late, 2)); got[0] != 4 {
		t.Errorf("%v: it would lose half the round, want 4 as before", got)
	}
	early.CheckpointCost = 0
	if got, _ := sizes(t, 8, nil, running(early, 8), reporter(20, 1)); got[1] != 4 {
		t.Errorf("%v, want the one that starts to have its part", got)
	}
}

// TestNoLossesWaitsForItsSize: a job that reports no losses never grows, so it does not start on its
// least size where what it asks is taken, but waits.
func TestNoLossesWaitsForItsSize(t *testing.T) {
	rigid, silent := reporter(10, 1), reporter(10, 1)
	rigid.MinGPUs, rigid.MaxGPUs, rigid.Ask.GPUs.Count = 0, 0, 4
	silent.Training, silent.Ask.GPUs.Count = nil, 4
	if got, _ := sizes(t, 6, nil, running(rigid, 4), silent); got[0] != 4 || got[1] != 0 {
		t.Errorf("%v, want 4 and none yet", got)
	}
}
