package oracle

import (
	"slices"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestDeclaredSizes: what the owner of a job did not leave to us is seen.
func TestDeclaredSizes(t *testing.T) {
	elastic := sim.JobSpec{GPUsPerNode: 2, Comment: "fairbridge:preemptible,ckpt=5s,min=1,max=3"}
	typed := sim.JobSpec{GPUsPerNode: 2, GPUType: "a100", Comment: "fairbridge:preemptible,ckpt=5s,types=h100"}
	for _, c := range []struct {
		name string
		spec sim.JobSpec
		edit slurm.Edit
		want bool // I23 is broken
	}{
		{"within its range", elastic, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 3}, false},
		{"above it", elastic, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4}, true},
		{"what it asked", elastic, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2}, false},
		{"of a rigid job", sim.JobSpec{GPUsPerNode: 2, Comment: "fairbridge:preemptible"}, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 1}, true},
		{"of a job that asks in all", sim.JobSpec{Comment: elastic.Comment}, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2}, true},
		{"of an array", sim.JobSpec{GPUsPerNode: 2, ArraySize: 3, Comment: elastic.Comment}, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 1}, true},
		{"of a type that its owner accepts", typed, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2, Text: "h100"}, false},
		{"of one that he does not", typed, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2, Text: "t4"}, true},
		{"fewer of it, of a rigid job", typed, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 1, Text: "h100"}, true},
		{"a requeue for t4", typed, slurm.Edit{Kind: slurm.EditRequeue, Value: 2, Text: "t4"}, true},
		{"a requeue for more", elastic, slurm.Edit{Kind: slurm.EditRequeue, Value: 4}, true},
		{"a requeue as it was", elastic, slurm.Edit{Kind: slurm.EditRequeue}, false},
	} {
		o := judge(t, c.spec, nil)
		o.Site.Mode, o.Site.IsElastic = bridge.ModeElastic, true
		k := &Call{SentBy: o.daemon(t), Edit: c.edit}
		k.Edit.Run.Job = o.job
		o.CheckSend(k)
		if got := slices.Contains(o.rules(), "I23"); got != c.want {
			t.Errorf("%s: broken %t, want %t: %v", c.name, got, c.want, o.Verdict().Breaches)
		}
	}
}
