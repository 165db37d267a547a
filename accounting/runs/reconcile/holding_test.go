package reconcile

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/intake"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/storetest"
	"fairbridge/policy"
)

// What a policy is told that a job holds is what the record charges for it,
// whatever its GPUs are called and however Slurm tells them.
func TestChargedAsDecided(t *testing.T) {
	for _, typ := range []string{"a100", "1g.5gb", "nvidia_a100_3g.20gb", "a100_1g.5gb", "1g.5gb+me", "7g.80gb"} {
		for i, j := range []slurm.Job{
			{GresDetail: slurm.ReadGRESDetail([]string{"gpu:" + typ + ":2(IDX:0-1)", "gpu:" + typ + ":1(IDX:0)"}), AllocatedTRES: slurm.ReadTRES("gres/gpu=3")},
			{GresDetail: slurm.ReadGRESDetail([]string{"gpu:(null):2(IDX:0-1)", "gpu:1"}), AllocatedTRES: slurm.ReadTRES("gres/gpu=3,gres/gpu:" + typ + "=3"), RequestedTRES: slurm.ReadTRES("gres/gpu=3")},
			{AllocatedTRES: slurm.ReadTRES("gres/gpu=3,gres/gpu:" + typ + "=3"), RequestedTRES: slurm.ReadTRES("gres/gpu=4")},
			{RequestedTRES: slurm.ReadTRES("cpu=1"), GresPerJob: slurm.ReadGRESRequest("gres/gpu:" + typ + ":3")},
		} {
			j.ID, j.State, j.Nodes, j.Partitions, j.Start = 1, "RUNNING", slurm.ReadHosts("n[1-2]"), []string{"gpu"}, storetest.StartTime
			v := &slurm.View{At: storetest.StartTime.Add(time.Hour), Jobs: []slurm.Job{j}}
			for k := range 2 {
				v.Nodes = append(v.Nodes, slurm.Node{Name: fmt.Sprint("n", k+1), State: "MIXED", Gres: slurm.ReadGRES("gpu:" + typ + ":7,gpu:big:2"), Partitions: []string{"gpu"}})
			}
			decided := intake.AssembleSnapshot(intake.Input{View: v}, bridge.Partition{Name: "gpu"})
			var holds policy.Alloc
			charged := 0
			for _, h := range holdingsOfJob(&j, v.Node) {
				holds = append(holds, policy.Slot{Node: h.Node, Type: h.GPUType, Count: h.DeviceCount})
				charged += h.DeviceCount * h.PercentOfGPU
			}
			if on := decided.Jobs[0].On; !on.Equal(holds) || holds.String() != "n1:2×"+typ+",n2:1×"+typ {
				t.Errorf("%s, record %d: decided by %v, charged for %v", typ, i, on, holds)
			}
			part := decided.Nodes[0].GPUs[1].PartPercent
			if decided.Nodes[0].GPUs[0].Type == typ {
				part = decided.Nodes[0].GPUs[0].PartPercent
			}
			if whole := (policy.GPUs{Count: 3, PartPercent: part}).WholeGPUs(); whole != float64(charged)/100 {
				t.Errorf("%s, record %d: decided by %g GPUs, charged for %d %%", typ, i, whole, charged)
			}
		}
	}
}
