package slurmrun

import (
	"strings"
	"testing"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// arrays makes two arrays of jobs that each run their own time; of the second two may run at once.
func arrays() []workload.Job {
	jobs := stream(12, never)
	for i := range jobs {
		j, first := &jobs[i], &jobs[i/6*6]
		d := j.Duration
		*j = *first
		j.ID, j.Duration, j.TimeLimit = int64(i+1), d, policy.DurationFromSeconds(40000)
		j.ArrayID, j.GPUs, j.ArrayMaxRunning = first.ID, 2, i/6*2
	}
	return jobs
}

func TestTasksOfAnArrayAreJobsOfTheWorkload(t *testing.T) {
	for _, name := range []string{"", "fairbridge"} {
		jobs := arrays()
		c := Config{Nodes: cluster(1), Jobs: jobs, LoopConfig: bridge.DefaultConfig()}
		if name != "" {
			c.PolicyName, c.Policy = name, decider(t, name)
		}
		out, err := Run(c)
		if err != nil {
			t.Fatal(err)
		}
		running := map[int64][]float64{} // starts of the second array's tasks, and their ends
		for i, o := range out.JobOutcomes {
			if ran := o.Finish - o.Start; o.ID != jobs[i].ID || o.StopCount == 0 && (ran < jobs[i].Duration-1 || ran > jobs[i].Duration+1) {
				t.Errorf("%s: job %d ran %.0f s, want %.0f", name, o.ID, ran, jobs[i].Duration)
			}
			if i >= 6 {
				running[o.ID] = []float64{o.Start, o.Finish}
			}
		}
		for id, a := range running {
			beside := 0
			for _, b := range running {
				if b[0] <= a[0] && a[0] < b[1] {
					beside++
				}
			}
			if beside > 2 {
				t.Errorf("%s: %d tasks run as job %d starts, where 2 may", name, beside, id)
			}
		}
	}
}

func TestTasksOfAnArrayMustBeAlike(t *testing.T) {
	jobs := arrays()
	jobs[3].GPUs = 4
	_, err := Run(Config{Nodes: cluster(1), Jobs: jobs})
	if err == nil || !strings.Contains(err.Error(), "job 4: is to be a task of array 1") {
		t.Errorf("an array of unlike tasks: %v", err)
	}
}
