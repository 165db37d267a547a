package slurmrun

import (
	"testing"
	"time"

	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
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
	if want := (measure.StartCounts{NoRoom: 2, Unseen: 1, InOrder: 2}); err != nil || run.Starts != want {
		t.Errorf("starts %+v, want %+v: %v", run.Starts, want, err)
	}
	if run, err := Run(Config{Nodes: cluster(1), Jobs: jobs}); err != nil || run.Starts.Sum() != 0 {
		t.Errorf("Slurm alone: %+v, %v", run.Starts, err)
	}
}

// TestStartsPastAGang: a job of two nodes waits for one of them. Backfill starts four jobs on the other one before a
// cycle sees them, as the job on the first may run for three hours. It ends after 20 minutes, and two of the four run
// on.
func TestStartsPastAGang(t *testing.T) {
	job := func(id int64, arrive float64, gpus int, seconds float64, limit time.Duration) workload.Job {
		return workload.Job{ID: id, User: "u", Account: "a", Arrive: arrive, GPUs: gpus, Duration: seconds,
			TimeLimit: limit, IsUnstoppable: true, IsSilent: true}
	}
	jobs := []workload.Job{job(1, 0, 8, 1200, 3*time.Hour), job(2, 1, 16, 60, time.Hour)}
	for i, seconds := range []float64{60, 1800, 100, 1900} {
		jobs = append(jobs, job(int64(i+3), 55, 1, seconds, time.Hour))
	}
	run, err := Run(Config{PolicyName: "multifactor", Policy: decider(t, "multifactor"), Nodes: cluster(2), Jobs: jobs})
	want := measure.StartCounts{NoRoom: 1, Unseen: 5, InOrder: 1, Backfilled: 4, PastGang: 4, Delaying: 2}
	if err != nil || run.Starts != want {
		t.Errorf("starts %+v, want %+v: %v", run.Starts, want, err)
	}
}

// TestLimitTellsNothing: the limit of a job that nobody may stop is its owner's, whether the job ends before it, at it,
// or as late after it as a site may end it. A job that may be stopped has time for a restart.
func TestLimitTellsNothing(t *testing.T) {
	o := &submitter{nodes: cluster(1), defaultRestartCost: 30 * time.Second}
	for _, c := range []struct {
		seconds       float64
		isUnstoppable bool
		want          time.Duration
	}{
		{60, true, time.Hour}, {3600, true, time.Hour}, {3720, true, time.Hour}, {3721, true, 63 * time.Minute},
		{3570, false, time.Hour}, {3600, false, 61 * time.Minute},
	} {
		j := workload.Job{GPUs: 1, Duration: c.seconds, TimeLimit: time.Hour, IsUnstoppable: c.isUnstoppable}
		if got := o.timeLimit(&j); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
