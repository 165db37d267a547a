package oracle

import (
	"slices"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// TestSharedGPU: shards that the owner of a job did not accept, or where it is not bound, are seen.
func TestSharedGPU(t *testing.T) {
	for _, c := range []struct {
		name string
		spec sim.JobSpec
		want bool // I24 is broken
	}{
		{"opted in, bound", sim.JobSpec{GPUsPerNode: 1, Comment: "fairbridge:shareable,gpu_mem=2G", RequiredNodes: []string{"n1"}}, false},
		{"not opted in", sim.JobSpec{GPUsPerNode: 1, RequiredNodes: []string{"n1"}}, true},
		{"bound elsewhere", sim.JobSpec{GPUsPerNode: 1, Comment: "fairbridge:shareable", RequiredNodes: []string{"n2"}}, true},
		{"an array", sim.JobSpec{GPUsPerNode: 1, ArraySize: 2, Comment: "fairbridge:shareable", RequiredNodes: []string{"n1"}}, true},
	} {
		o := judge(t, c.spec, nil)
		o.Site.Mode = bridge.ModeShare
		k := &Call{SentBy: o.daemon(t), Edit: slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}}
		k.Edit.Run.Job = o.job
		o.CheckSend(k)
		if got := slices.Contains(o.rules(), "I24"); got != c.want {
			t.Errorf("%s: broken %t, want %t: %v", c.name, got, c.want, o.Verdict().Breaches)
		}
	}
}
