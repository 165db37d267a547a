package themis

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/rounds"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newJob(gpus int, age, left, ran time.Duration) *job {
	j := &policy.Job{Arrive: noon.Add(-age), Ask: policy.Ask{GPUs: policy.GPUs{Count: gpus}}, Attained: policy.ServiceForTime(float64(gpus), ran)}
	e := &engine.Entry{Job: j}
	e.SetEstimate(engine.TimeLeftEstimate{TimeLeft: left, Source: "history"})
	return &job{Entry: e}
}

// TestRatios: of two jobs, one has 8 GPU-hours on 4 GPUs and one 2 on one. Both
// would be done alone after 4 hours where either can use everything, and their
// ratios with their gangs are a half.
func TestRatios(t *testing.T) {
	m := &arbiter{now: noon, Policy: &Policy{Alone: "jobs"}, clusterGPUCount: 4}
	for _, a := range []*job{newJob(4, 0, 2*time.Hour, 0), newJob(1, 0, 2*time.Hour, 0)} {
		m.assessJob(a, 2, time.Hour)
		if a.secondsAlone != 4*3600 || a.rho != 1 || math.Abs(a.logRhoGain()-math.Log(2)) > 1e-12 {
			t.Errorf("alone %g h, ρ %g, gain %g; want 4 h, 1, ln 2", a.secondsAlone/3600, a.rho, a.logRhoGain())
		}
	}
	// 40 jobs for 4 GPUs slow a job down ten times. It ran an hour of two, and
	// has been here for 10 hours: half of its time alone is spent.
	m.Alone = "gpus"
	a := newJob(1, 10*time.Hour, time.Hour, time.Hour)
	m.assessJob(a, 40, time.Hour)
	if a.equalPartSlowdown != 10 || a.secondsAlone != 20*3600 || a.rho != 1 {
		t.Errorf("slowed %g, alone %g h, ρ %g; want 10, 20 h, 1", a.equalPartSlowdown, a.secondsAlone/3600, a.rho)
	}
}

// TestRatioGrows: a job that waits gets worse off without bound, and finitely.
func TestRatioGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &arbiter{now: noon, Policy: &Policy{Alone: rapid.SampledFrom([]string{"gpus", "jobs"}).Draw(t, "alone")}, clusterGPUCount: float64(rapid.IntRange(0, 9).Draw(t, "gpus"))}
		left, ran := time.Duration(rapid.IntRange(0, 1e6).Draw(t, "left"))*time.Second, time.Duration(rapid.IntRange(0, 1e6).Draw(t, "ran"))*time.Second
		contention, last := rapid.Float64Range(0, 1000).Draw(t, "crowd"), 0.0
		for _, age := range []time.Duration{0, time.Hour, 24 * time.Hour, 1000 * time.Hour, 200_000 * time.Hour} {
			a := newJob(2, age, left, ran)
			m.assessJob(a, contention, time.Hour)
			if !(a.rho > last) || math.IsInf(a.rho, 0) || math.IsNaN(a.logRhoGain()) {
				t.Fatalf("after %v ρ is %g, before %g; gain %g", age, a.rho, last, a.logRhoGain())
			}
			last = a.rho
		}
	})
}

// TestCountBidders: 5 jobs and f = .8: only the worst off bids. A smaller f lets more
// of the line bid, so all that did, and others.
func TestCountBidders(t *testing.T) {
	if n := countBidders(5, .8); n != 1 {
		t.Errorf("%d bid, want 1", n)
	}
	for n := range 30 {
		last := 0
		for _, f := range []float64{1, .9, .8, .5, .2, 0} {
			b := countBidders(n, f)
			if b < last || b > n || n > 0 && b == 0 {
				t.Errorf("%d of %d bid with f = %g, %d with more", b, n, f, last)
			}
			last = b
		}
		if last != n {
			t.Errorf("f = 0: %d of %d bid", last, n)
		}
	}
}

// TestSmallestWorstRatio: one GPU, a new job and one that waited 4 hours, of 6
// hours each. Alone on half a GPU each takes 12; the smallest worst ratio is
// 1.1937, and takes .4189 of the time for the one and .5811 for the other.
func TestSmallestWorstRatio(t *testing.T) {
	s := &policy.Snapshot{Now: noon, Nodes: []policy.Node{{Name: "n", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "gpu", Count: 1}}}}}
	for i, age := range []time.Duration{0, 4 * time.Hour} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Pending, Arrive: noon.Add(-age),
			Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Limit: 6 * time.Hour, PredictedLeft: 6 * time.Hour})
	}
	plan, err := (&Policy{Method: "lp", Round: 2 * time.Minute}).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	memo, err := policy.Recall[struct {
		Rounds rounds.AllocatorState `json:"book"`
	}](plan.Memo)
	if err != nil || len(memo.Rounds.Fractions) != 2 {
		t.Fatal(memo, err)
	}
	if x := memo.Rounds.Fractions; math.Abs(x[0]-.4189) > 1e-4 || math.Abs(x[1]-.5811) > 1e-4 {
		t.Errorf("fractions %.4f, want .4189 and .5811", x)
	}
}
