package reproduce

import (
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// shock runs a policy on a workload of Shockwave's kind on 32 GPUs.
func shock(t *testing.T, seed int64, name string, given paper.Params) measure.Summary {
	t.Helper()
	jobs := generate.ShockwaveDrawer{ClusterGPUs: 32}.DrawJobs(seed)
	return simulate(t, exact.Config{Policy: system(t, name, given), Nodes: cluster(32, 1, "v100"), Jobs: jobs,
		SpeedTables: generate.NewSpeedTables(), Clock: exact.ShockwaveClock()}).Summarize()
}

// TestReproduceFairbridge: what our own policy promises, on drawn workloads: the
// makespan of a policy made for it, a shorter average than proportional
// sharing by far, and nobody much behind his fair finish.
func TestReproduceFairbridge(t *testing.T) {
	var makespan, jct, worst, unfair []float64
	for seed := int64(1); seed <= 5; seed++ {
		ours, equal := shock(t, seed, "fairbridge", nil), shock(t, seed, "proportional", nil)
		makespan = append(makespan, ours.Makespan/equal.Makespan)
		jct = append(jct, ours.AvgJCT/equal.AvgJCT)
		worst, unfair = append(worst, ours.WorstRho), append(unfair, ours.UnfairShare)
	}
	for name, c := range map[string]struct {
		got  []float64
		most float64
	}{
		"makespan over proportional's": {makespan, .85}, "average JCT over proportional's": {jct, .75},
		"worst ρ": {worst, 1.8}, "unfair share": {unfair, .05},
	} {
		if m := median(c.got); m > c.most {
			t.Errorf("%s: median %.3f of %v, want at most %v", name, m, c.got, c.most)
		}
		t.Logf("%s: %.3f", name, c.got)
	}
}

// TestReproduceFairbridgeParts: leaving a part out costs what the part is for.
func TestReproduceFairbridgeParts(t *testing.T) {
	longest := func(given paper.Params) float64 {
		return over(5, func(seed int64) float64 { return shock(t, seed, "fairbridge", given).Makespan })
	}
	if with, without := longest(nil), longest(paper.Params{"long": 1}); with > without {
		t.Errorf("makespan %v with long jobs first, %v without", with, without)
	}
	behind := func(given paper.Params) float64 {
		return over(5, func(seed int64) float64 { return shock(t, seed, "fairbridge", given).UnfairShare })
	}
	if with, without := behind(nil), behind(paper.Params{"fair": 100}); with > without {
		t.Errorf("unfair share %v with fair finishes, %v without", with, without)
	}
}

// TestReproduceFairbridgeAccounts: an account that floods the cluster does not
// push the others behind their fair finish.
func TestReproduceFairbridgeAccounts(t *testing.T) {
	others := func(name string) float64 {
		return over(3, func(seed int64) float64 {
			d := generate.MultiTenantDrawer{ClusterGPUs: 32, ArrivalHours: 24}
			jobs := d.DrawJobs(seed)
			run := simulate(t, exact.Config{Policy: system(t, name, nil), Nodes: cluster(4, 8, "v100"), Jobs: jobs,
				Accounts: d.DrawAccounts(seed), Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 30*time.Second)})
			return slowdown(run, jobs)
		})
	}
	ours, fifo := others("fairbridge"), others("fifo")
	t.Logf("mean slowdown of the accounts that do not flood: %.2f, under fifo %.2f", ours, fifo)
	if ours > fifo/2 {
		t.Errorf("mean slowdown of the accounts that do not flood %.2f, under fifo %.2f", ours, fifo)
	}
}

// slowdown is the mean of completion over exclusive time among all accounts but
// the one that asks for most.
func slowdown(run *measure.Run, jobs []workload.Job) float64 {
	asked := map[string]float64{}
	for _, j := range jobs {
		asked[j.Account] += j.Duration * float64(j.GPUs)
	}
	flood := ""
	for name, gpus := range asked {
		if gpus > asked[flood] || gpus == asked[flood] && name < flood {
			flood = name
		}
	}
	sum, n := 0.0, 0.0
	for _, j := range run.JobOutcomes {
		if j.Account != flood && j.ExclusiveRunSeconds > 0 {
			sum += (j.Finish - j.Arrive) / j.ExclusiveRunSeconds
			n++
		}
	}
	return sum / n
}
