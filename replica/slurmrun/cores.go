package slurmrun

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/replica/sim"
	"fairbridge/replica/workload"
)

// Cores and megabytes of a node that does not say how many it has: by GPU, and at least.
const (
	coresPerGPU, leastCores = 8, 64
	memMBPerGPU, leastMemMB = 64_000, 512_000
)

// assumedCapacity is what a node of so many GPUs is taken to have where it does not say: never
// less than a job asks for on it.
func assumedCapacity(gpus int, jobs []workload.Job) (cores int, memMB int64) {
	cores, memMB = max(leastCores, coresPerGPU*gpus), int64(max(leastMemMB, memMBPerGPU*gpus))
	for i := range jobs {
		j := &jobs[i]
		nodes := max(j.NodeCount, (j.GPUs+max(gpus, 1)-1)/max(gpus, 1), 1)
		cores, memMB = max(cores, (j.CPUs+nodes-1)/nodes), max(memMB, (j.MemMB+int64(nodes)-1)/int64(nodes))
	}
	return cores, memMB
}

// checkNodesSuffice refuses a job whose cores or memory too few nodes have, as Slurm refuses it
// when it is submitted: it would wait until the simulation is given up.
func (o *submitter) checkNodesSuffice(j *workload.Job, s *sim.JobSpec) error {
	enough, mostCores, mostMemMB := 0, 0, int64(0)
	for i := range o.nodes {
		n := &o.nodes[i]
		mostCores, mostMemMB = max(mostCores, n.CPUs), max(mostMemMB, n.MemMB)
		if (n.CPUs == 0 || s.CPUsPerNode <= n.CPUs) && (n.MemMB == 0 || s.MemMBPerNode <= n.MemMB) {
			enough++
		}
	}
	if enough >= s.MinNodes {
		return nil
	}
	return fmt.Errorf("%s: asks for %s and %d MB of memory on %s, which %d have (at most %d cores, %d MB): leave it out or give the nodes more", j.Location(),
		policy.FormatCount(s.CPUsPerNode, "core"), s.MemMBPerNode, policy.FormatCount(s.MinNodes, "node"), enough, mostCores, mostMemMB)
}
