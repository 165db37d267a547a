package learned

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/replica/measure"
	"fairbridge/replica/slurmrun"
)

// recurringThroughSlurm runs the jobs of recurringRun through the loop, the gate and a simulated Slurm in mode elastic: each run
// reports its speed a minute after it began, and nobody lets jobs be stopped. "": Slurm alone, on what they ask.
func recurringThroughSlurm(t *testing.T, seed int64, load float64, name string) *measure.Run {
	t.Helper()
	jobs := recurringJobs(seed, load)
	for i := range jobs {
		jobs[i].IsUnstoppable = true
		jobs[i].TimeLimit = jobs[i].TimeLimit.Truncate(time.Minute) + time.Minute
	}
	c := slurmrun.Config{Nodes: cluster(8, 8, "v100"), Jobs: jobs, Seed: seed, Mode: bridge.ModeElastic}
	if name != "" {
		c.PolicyName, c.Policy = name, system(t, name, nil)
	}
	run, err := slurmrun.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestMetisThroughSlurm: through Slurm jobs take no longer than with Slurm alone, and hardly less: where GPUs are free Slurm starts
// a job on what it asks before the loop sees it, and where they are not there is little to give. What metis gains where plans are
// carried out at once does not come through.
func TestMetisThroughSlurm(t *testing.T) {
	for _, load := range []float64{.3, .5, .7, .9, 1.1} {
		var ofSlurm, ofEASY []float64
		for seed := int64(1); seed <= 5; seed++ {
			ours := recurringThroughSlurm(t, seed, load, "metis").Summarize().AvgJCT
			ofSlurm = append(ofSlurm, ours/recurringThroughSlurm(t, seed, load, "").Summarize().AvgJCT)
			ofEASY = append(ofEASY, ours/recurringThroughSlurm(t, seed, load, "easy").Summarize().AvgJCT)
		}
		t.Logf("load %.1f: mean completion over that with Slurm alone %.3f, median %.3f; over that by easy %.3f, median %.3f", load, ofSlurm, median(ofSlurm), ofEASY, median(ofEASY))
		if m := median(ofSlurm); m > 1 {
			t.Errorf("load %.1f: jobs take %.3f of the time with Slurm alone, want 1 at most", load, m)
		}
	}
}
