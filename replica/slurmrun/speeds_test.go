package slurmrun

import (
	"math"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// TestSpeedFunction: a job goes as its true scaling has it on other sizes and spreads, else in
// proportion to its GPUs.
func TestSpeedFunction(t *testing.T) {
	o := &submitter{nodes: cluster(3), gpuTypes: []string{"a100"}}
	table := &policy.Scaling{Points: []policy.SpeedPoint{{Devices: 4, StepsPerSecond: 10}, {Devices: 8, StepsPerSecond: 15}}, SpreadSpeed: .5}
	for name, c := range map[string]struct {
		job      workload.Job
		n, nodes int
		want     float64
	}{
		"as asked":                {workload.Job{GPUs: 4, Scaling: table}, 4, 1, 1},
		"more GPUs":               {workload.Job{GPUs: 4, Scaling: table}, 8, 1, 1.5},
		"spread":                  {workload.Job{GPUs: 4, Scaling: table}, 4, 2, .5},
		"on the nodes it needs":   {workload.Job{GPUs: 8, Scaling: &policy.Scaling{SpreadSpeed: .5}}, 16, 2, 2},
		"slower GPUs, and spread": {workload.Job{GPUs: 4, Scaling: table, Speeds: map[string]float64{"a100": .5}}, 4, 3, .25},
		"nothing is known":        {workload.Job{GPUs: 4}, 8, 2, 2},
	} {
		if got := o.newSpeedFunction(&c.job)("a100", c.n, c.nodes); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
	elastic := workload.Job{GPUs: 8, MinGPUs: 4, MaxGPUs: 8, Duration: 100, Scaling: table}
	if got := longestRunSeconds(o.nodes, &elastic); math.Abs(got-300) > 1e-9 {
		t.Errorf("at longest %g s, want 300: on 4 GPUs of 8, spread", got)
	}
}

// TestSpreadJobsAreSlow: through the simulated Slurm a job whose GPUs lie on more nodes than they need
// runs as much longer as its true scaling has it.
func TestSpreadJobsAreSlow(t *testing.T) {
	run := func(spread float64) float64 {
		jobs := []workload.Job{} // three that leave 3 GPUs on each node, and one that takes those
		for i := range 3 {
			jobs = append(jobs, workload.Job{ID: int64(i + 1), Arrive: float64(i), GPUs: 5, Duration: 40_000, IsUnstoppable: true})
		}
		jobs = append(jobs, workload.Job{ID: 4, Arrive: 600, GPUs: 9, Duration: 1000, IsUnstoppable: true, TimeLimit: time.Hour, Scaling: &policy.Scaling{SpreadSpeed: spread}})
		r, err := Run(Config{Nodes: cluster(3), Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		return r.JobOutcomes[3].Finish - r.JobOutcomes[3].Start
	}
	if all, half := run(0), run(.5); math.Abs(all-1000) > 1 || math.Abs(half-2000) > 1 {
		t.Errorf("ran %g s, and %g s where spread it is half as fast", all, half)
	}
}
