package slurmrun

import (
	"testing"
	"time"

	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/workload"
)

// TestStartsByPlan: the first of three jobs of a node starts before any cycle sees it, the others where the last plan
// had no room for them, the second of them while the third waits. Slurm alone has no plan.
func TestStartsByPlan(t *testing.T) {
	var jobs []workload.Job
	for i := range 3 {
		jobs = append(jobs, workload.Job{ID: int64(i + 1), User: "u", Account: "a", Arrive: float64(10 * i), GPUs: 8,
			Duration: 1200, TimeLimit: time.Hour, IsUnstoppable: true, IsSilent: true})
	}
	run, err := Run(Config{PolicyName: "fifo", Policy: decider(t, "fifo"), Nodes: cluster(1), Jobs: jobs})
	if want := (measure.StartCounts{AgainstPlan: 2, Unseen: 1, PastGang: 1}); err != nil || run.Starts != want {
		t.Errorf("starts %+v, want %+v: %v", run.Starts, want, err)
	}
	if run, err := Run(Config{Nodes: cluster(1), Jobs: jobs}); err != nil || run.Starts.Sum() != 0 {
		t.Errorf("Slurm alone: %+v, %v", run.Starts, err)
	}
}
