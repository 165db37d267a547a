package golden

import (
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/packs"
	"fairbridge/lab/trace"
	"fairbridge/policy/paper"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/scripts/verify/part"
)

// byGPUTime compares jobs by their GPU time, as SRSF does, and with a fair finish four times as late. It has no class of long
// jobs, and jobs that run are compared as those that wait: on this clock a restart costs no more than going on.
var byGPUTime = paper.Params{"by": "service", "fair": 4., "long": 2., "sticky": 1.}

// TestFairbridgeOnMuri wants our own policy, where owners accept neighbours, at or below the published mean completion time of
// Muri-S, and where none does at or below that of SRSF. It knows what they know: how many steps a job has left, how long
// one takes alone, and the stages of a step beside others.
func TestFairbridgeOnMuri(t *testing.T) {
	part.Long(t, testing.Short())
	for _, c := range []struct {
		name, trace string
		shares      bool
		params      paper.Params
		published   float64
	}{
		{"sharing", "trace3", true, nil, 85502.55387},
		{"sharing", "trace3_pr", true, nil, 537776.6163},
		{"alone by GPU time", "trace3", false, byGPUTime, 185021.8802},
		{"alone by GPU time", "trace3_pr", false, byGPUTime, 798057.6829},
	} {
		t.Run(c.name+"/"+c.trace, func(t *testing.T) {
			if !part.Runs("golden") && c.trace != "trace3" {
				t.Skip("ten seconds")
			}
			run := runFairbridgeOnMuri(t, c.trace, c.shares, c.params)
			mean := run.Summarize().AvgJCT
			t.Logf("mean %.0f s, published %.0f: %+.1f %%; 99 %% %.0f s, makespan %.0f s", mean, c.published, 100*(mean/c.published-1), muriP99(run), run.MakespanSeconds)
			if mean > c.published {
				t.Errorf("mean %.3f s, want at most %.3f", mean, c.published)
			}
		})
	}
}

// TestFairbridgeOnMuriByDefault shows what the parameters of all simulations make of the traces where no job shares: longer than
// SRSF takes, for the fair finish of each job and the end of all work.
func TestFairbridgeOnMuriByDefault(t *testing.T) {
	part.Long(t, testing.Short())
	for name, srsf := range map[string]float64{"trace3": 185021.8802, "trace3_pr": 798057.6829} {
		run := runFairbridgeOnMuri(t, name, false, nil)
		mean := run.Summarize().AvgJCT
		t.Logf("%s: mean %.0f s, SRSF %.0f: %+.1f %%; 99 %% %.0f s, makespan %.0f s", name, mean, srsf, 100*(mean/srsf-1), muriP99(run), run.MakespanSeconds)
		if mean > 1.16*srsf {
			t.Errorf("%s: mean %.0f s, which is more than it was: 1.153 and 1.053 times that of SRSF", name, mean)
		}
	}
}

func runFairbridgeOnMuri(t *testing.T, name string, shares bool, params paper.Params) *measure.Run {
	t.Helper()
	tr, err := trace.ReadFile(here(t, "../muri/"+name+".csv"), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tr.Jobs {
		tr.Jobs[i].IsShareable = shares
	}
	nodes, err := cluster.ParseSpec("8x8")
	if err != nil {
		t.Fatal(err)
	}
	run, err := packs.Simulate(exact.Config{Policy: lookup(t, "fairbridge", params), Nodes: nodes, Jobs: tr.Jobs, OmitsReasons: true})
	if err != nil {
		t.Fatal(err)
	}
	return run
}
