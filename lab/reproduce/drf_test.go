package reproduce

import (
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// TestReproduceDRF: two accounts of equal weight on nodes of 8 GPUs and 64
// cores. A asks for 4 cores with each GPU, so GPUs are its dominant resource; B
// for 12, so cores are. A floods the cluster; B comes ten minutes later, with
// as much. While both have jobs waiting, DRF gives both the same dominant share
// on average, within 5 %, and neither gets less than the half of the cluster
// would give it alone. First come, first served leaves them more than 25 % apart.
func TestReproduceDRF(t *testing.T) {
	for _, c := range []struct {
		policy string
		params paper.Params
		fair   bool
	}{{"drf", paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"}, true}, {"fifo", paper.Params{"max_wait": "0s"}, false}} {
		apart, least := [5]float64{}, [5]float64{}
		for seed := range apart {
			a, b := shares2(t, c.policy, c.params, uint64(seed))
			apart[seed], least[seed] = max(a, b)/min(a, b)-1, min(a, b)
		}
		gap, share := median(apart[:]), median(least[:])
		t.Logf("%s: dominant shares %.0f %% apart, the smaller is %.3f", c.policy, 100*gap, share)
		switch {
		case c.fair && gap > .05:
			t.Errorf("%s: dominant shares are %.0f %% apart, want at most 5", c.policy, 100*gap)
		case c.fair && share < .5:
			t.Errorf("%s: an account has a dominant share of %.3f, half of the cluster would give it more", c.policy, share)
		case !c.fair && gap < .25:
			t.Errorf("%s: dominant shares are %.0f %% apart, expected 25 and more", c.policy, 100*gap)
		}
	}
}

const drfNodes, coresA, coresB = 4, 4, 12

// shares2 returns the mean dominant shares of A and B while both wait.
func shares2(t *testing.T, name string, params paper.Params, seed uint64) (a, b float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	var jobs []workload.Job
	flood := func(account string, at float64, cores int) {
		for range 200 {
			jobs = append(jobs, workload.Job{ID: int64(len(jobs) + 1), Account: account, User: account, GPUs: 1, CPUs: cores, Arrive: at,
				Duration: 600 + 6000*rng.Float64()})
		}
	}
	flood("A", 0, coresA)
	flood("B", 600, coresB)
	run := simulate(t, exact.Config{Policy: system(t, name, params), Nodes: cluster(drfNodes, 8, "v100"), Jobs: jobs,
		Accounts: []policy.Account{{Name: "A", Weight: 1}, {Name: "B", Weight: 1}}, Clock: exact.NewEventClock(5*time.Minute, 20*time.Minute, 0)})
	from, to := 3600.0, lastStart(run, "A")
	to = min(to, lastStart(run, "B"))
	if name == "fifo" { // B waits until A is through
		to = lastStart(run, "A")
	}
	return meanGPUs(run, from, to, "A") / (drfNodes * 8), meanGPUs(run, from, to, "B") * coresB / (drfNodes * 64)
}

func lastStart(run *measure.Run, account string) (at float64) {
	for _, j := range run.JobOutcomes {
		if j.Account == account {
			at = max(at, j.Start)
		}
	}
	return at
}

// meanGPUs returns the GPUs an account held on average between two times.
func meanGPUs(run *measure.Run, from, to float64, account string) float64 {
	sum := 0.0
	for i, s := range run.Samples[:len(run.Samples)-1] {
		span := min(run.Samples[i+1].AtSeconds, to) - max(s.AtSeconds, from)
		sum += s.GPUsByAccount[account] * max(span, 0)
	}
	return sum / (to - from)
}
