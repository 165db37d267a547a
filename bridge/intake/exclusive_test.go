package intake

import (
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// TestAJobOfWholeNodesAsksForAllOfThem: one GPU on a node to itself is eight here, waiting or running.
func TestAJobOfWholeNodesAsksForAllOfThem(t *testing.T) {
	w := world(t)
	for _, s := range []sim.JobSpec{
		{User: "alice", Account: "vision", Partition: "gpu", GPUs: 1, Exclusive: true, TimeLimit: time.Hour, WorkTime: time.Hour},
		{User: "alice", Account: "vision", Partition: "gpu", GPUs: 2, GPUType: "h100", Exclusive: true, TimeLimit: time.Hour, WorkTime: time.Hour},
		{User: "alice", Account: "vision", Partition: "gpu", GPUsPerNode: 1, MinNodes: 2, Exclusive: true, TimeLimit: time.Hour, WorkTime: time.Hour},
		{User: "alice", Account: "vision", Partition: "gpu", GPUs: 1, TimeLimit: time.Hour, WorkTime: time.Hour},
	} {
		if _, err := w.Submit(s); err != nil {
			t.Fatal(err)
		}
	}
	v := view(t, w)
	check := func(id policy.JobID, gpus, cpus int) {
		t.Helper()
		j := AssembleSnapshot(Input{View: v}, preempting("gpu")).Job(id)
		if j.Ask.GPUs.Count != gpus || j.Ask.CPUs != cpus {
			t.Errorf("job %d asks for %d GPUs and %d cores, want %d and %d", id, j.Ask.GPUs.Count, j.Ask.CPUs, gpus, cpus)
		}
	}
	node := v.Nodes[0]
	check(1, 8, node.CPUs)
	check(2, 2, int(v.Job(2).RequestedTRES.CPUs)) // there are none of its type
	check(3, 16, 2*node.CPUs)
	check(4, 1, int(v.Job(4).RequestedTRES.CPUs))

	j := v.Job(1)
	j.State, j.Start, j.Nodes = "RUNNING", v.At.Add(-time.Minute), slurm.ReadHosts("n1")
	j.AllocatedTRES = slurm.ReadTRES("cpu=64,mem=100M,node=1,gres/gpu=8,gres/gpu:a100=8")
	j.GresDetail = []slurm.GRESList{slurm.ReadGRES("gpu:a100:8(IDX:0-7)")}
	check(1, 8, 64)
}
