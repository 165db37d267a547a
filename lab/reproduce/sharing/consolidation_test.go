package sharing

import (
	"slices"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy/engine"
)

// TestConsolidation: the jobs of the tenants of HiveD's claim, with the same quotas by count, where they fit
// best and on the emptiest node, seed by seed: packing leaves less free where no waiting job could use it,
// less that waits for free GPUs which stand apart, and is no slower in the mean.
func TestConsolidation(t *testing.T) {
	var unusable, blocked [2][]float64
	var faster []float64
	for seed := range int64(5) {
		jobs := hivedJobs(seed+1, tenantsOfTwoKinds())
		var mean [2]float64
		for i, placer := range []engine.Placer{bestFit{}, emptiestNode{}} {
			s := simulate(t, exact.Config{Policy: newCountQuota(hivedTenantNodes*hivedNodeGPUs, placer), Nodes: cluster(hivedTenants*hivedTenantNodes, hivedNodeGPUs, "v100"),
				Jobs: jobs, KeepsNodeShapes: true, Clock: exact.NewEventClock(0, 0, 0)}).Summarize()
			unusable[i], blocked[i], mean[i] = append(unusable[i], 100*s.UnusableShare), append(blocked[i], s.MeanBlockedGPUs), s.AvgJCT
		}
		faster = append(faster, mean[0]/mean[1])
	}
	for i, name := range []string{"best fit", "emptiest"} {
		t.Logf("%s: unusable %.2f %% of the GPU time (median of %.2f), blocked %.1f GPUs (of %.1f)", name, median(unusable[i]), unusable[i], median(blocked[i]), blocked[i])
	}
	t.Logf("mean completion, best fit over emptiest: %.3f (of %.3f)", median(faster), faster)
	for seed := range faster {
		if blocked[0][seed] >= blocked[1][seed] || unusable[0][seed] >= unusable[1][seed] {
			t.Errorf("seed %d: blocked %.2f and %.2f GPUs, unusable %.2f and %.2f %%: best fit leaves no less", seed+1, blocked[0][seed], blocked[1][seed], unusable[0][seed], unusable[1][seed])
		}
	}
	if slices.Max(faster) > 1 {
		t.Errorf("mean completion %.3f times that on the emptiest node", slices.Max(faster))
	}
}
