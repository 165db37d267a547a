package slurmrun

import (
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// coreJobs are jobs of one GPU, of which the third asks for so many cores.
func coreJobs(cores int) []workload.Job {
	var jobs []workload.Job
	for i := range 5 {
		jobs = append(jobs, workload.Job{ID: int64(i + 31), User: "u", Account: "a", GPUs: 8, CPUs: 8, Arrive: float64(i), Duration: 600, TimeLimit: time.Hour})
	}
	jobs[2].CPUs = cores
	return jobs
}

func coreNodes(cores int) []policy.Node {
	return []policy.Node{{Name: "n1", Partitions: []string{partitionName}, CPUs: cores, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}
}

// TestJobTooLargeForTheNodesIsNamed: a job that no node has the cores for is refused at once by
// its own name, where cores are known; where they are not, they keep none back.
func TestJobTooLargeForTheNodesIsNamed(t *testing.T) {
	try := func(cores int) error {
		_, err := Run(Config{Nodes: coreNodes(cores), Jobs: coreJobs(96), Accounts: []policy.Account{{Name: "a", Weight: 1}}, Seed: 1})
		return err
	}
	if err := try(64); err == nil || !strings.Contains(err.Error(), "job 33: asks for 96 cores and 0 MB of memory on 1 node, which 0 have (at most 64 cores") {
		t.Errorf("the error is %v", err)
	}
	for _, cores := range []int{0, 96} {
		if err := try(cores); err != nil {
			t.Errorf("with %d cores: %v", cores, err)
		}
	}
}
