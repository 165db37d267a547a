package slurmrun

import (
	"testing"
	"time"

	"fairbridge/replica/sim"
	"fairbridge/replica/workload"
)

// TestTheLoopStops: until the moment given all is as without it; after it no cycle runs, and the jobs end all the same.
func TestTheLoopStops(t *testing.T) {
	var jobs []workload.Job
	for i := range 12 {
		jobs = append(jobs, workload.Job{ID: int64(i + 1), User: "u", Account: "a", Arrive: float64(60 * i), GPUs: 8, Duration: float64(1200 - 60*i), TimeLimit: time.Hour, IsUnstoppable: true, IsSilent: true})
	}
	const until = 90 * time.Minute
	starts := func(c Config) (before []float64, last time.Duration) {
		c.PolicyName, c.Policy, c.Nodes, c.Jobs = "srtf", decider(t, "srtf"), cluster(1), jobs
		c.AfterCycle = func(w *sim.World) { last = w.Now().Sub(c.workloadStart()) }
		run, err := Run(c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.JobOutcomes {
			if o := &run.JobOutcomes[i]; o.Finish <= 0 {
				t.Errorf("job %d did not end", o.ID)
			} else if o.Start < until.Seconds() {
				before = append(before, o.Start)
			}
		}
		return before, last
	}
	all, end := starts(Config{})
	some, stopped := starts(Config{DecidesUntil: until})
	if len(all) < 3 || len(all) != len(some) || end < until+time.Hour || stopped > until || stopped < until-time.Minute {
		t.Fatalf("%d and %d jobs started before; the last cycles were after %v and %v", len(all), len(some), end, stopped)
	}
	for i := range all {
		if all[i] != some[i] {
			t.Errorf("starts before: %v, want %v", some, all)
		}
	}
}
