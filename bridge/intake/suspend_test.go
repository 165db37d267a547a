package intake

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
	"fairbridge/replica/sim"
)

// TestASuspendedJobHoldsNoCores: Slurm shows the cores of a suspended job as free and starts
// others on them (22.05 and 26.05: CPUAlloc=0, AllocTRES=mem=1000M,gres/gpu=1). Its memory and
// its GPUs stay taken, whether it has GPUs or not.
func TestASuspendedJobHoldsNoCores(t *testing.T) {
	w := world(t,
		sim.JobSpec{User: "alice", Account: "vision", Partition: "gpu", GPUsPerNode: 4, CPUsPerNode: 40, TimeLimit: time.Hour, WorkTime: time.Hour},
		sim.JobSpec{User: "carol", Account: "lang", Partition: "gpu", CPUsPerNode: 20, TimeLimit: time.Hour, WorkTime: time.Hour},
	)
	w.Advance(w.Now().Add(2 * time.Minute))
	v := view(t, w)
	node := v.Jobs[0].Nodes.Names[0]
	free := func() (cpus, later int) {
		s := AssembleSnapshot(Input{View: v, CycleSeq: 1}, preempting("gpu"))
		ask := policy.Ask{GPUs: policy.GPUs{Count: 1, Type: "a100"}, MinNodes: 1, MaxNodes: 1, RequiredNodes: []string{node}}
		p := pool.New(s)
		for ask.CPUs = 1; ; ask.CPUs++ {
			if !p.Fits("gpu", ask) {
				break
			}
		}
		for _, o := range s.Node(node).OtherUses {
			later += o.CPUs
		}
		return ask.CPUs - 1, later
	}
	before, givenBack := free()
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.Nodes.Names[0] == node {
			j.State, j.SuspendTime, j.PreSuspendTime = "SUSPENDED", v.At, v.At.Sub(j.Start)
		}
	}
	for i := range v.Nodes {
		if v.Nodes[i].Name == node {
			v.Nodes[i].CPUsUsed = 0
		}
	}
	after, stillGivenBack := free()
	if after != v.Nodes[0].CPUs || before >= after || givenBack == 0 || stillGivenBack != 0 {
		t.Errorf("%d of %d cores are free, and %d later, before the suspension; %d and %d after it", before, v.Nodes[0].CPUs, givenBack, after, stillGivenBack)
	}
	s := AssembleSnapshot(Input{View: v, CycleSeq: 1}, preempting("gpu"))
	if j := s.Job(1); j.State != policy.Suspended || j.On.Count() != 4 {
		t.Errorf("the suspended job: %s, holds %v", j.State, j.On)
	}
}
