package push

import (
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

// TestBoundUntilItHasItsGPU: where the call that gives a GPU back failed, the one that follows it and frees the job from its
// node is not sent.
func TestBoundUntilItHasItsGPU(t *testing.T) {
	was := bridgetest.NewWaitingJob()
	was.RequiredNodes = slurm.ReadHosts("n1")
	was.GresPerNode, was.RequestedTRES = slurm.ReadGRESRequest("gres/shard:2"), slurm.ReadTRES("cpu=1")
	intents := []bridge.Intent{
		{ID: 1, Edit: slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: []string{"n1"}}, State: bridge.IntentObserved},
		{ID: 2, Edit: slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}, State: bridge.IntentObserved, Before: bridge.JobBefore{GPUs: 1}},
	}
	free := slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditRequireNodes}
	for _, hasGPU := range []bool{true, false} {
		is := was
		if hasGPU {
			is.GresPerNode, is.RequestedTRES = slurm.ReadGRESRequest("gres/gpu:1"), slurm.ReadTRES("cpu=1,gres/gpu=1")
		}
		k := knows(&was)
		k.intentBook = ledger.NewIntentBook(intents)
		k.isWrittenByUs = func(f slurm.Field) bool { return f == slurm.FieldGPUs }
		if gone, changed := k.compareJob(free, &is); changed != "" || (gone == "") != hasGPU {
			t.Errorf("has its GPU %v: gone %q, changed %q", hasGPU, gone, changed)
		}
	}
}

// TestNoShardsWithoutANode: where the call that binds the job to its node failed, the one that follows it and asks for shards is not sent.
func TestNoShardsWithoutANode(t *testing.T) {
	was := bridgetest.NewWaitingJob()
	for _, nodes := range []string{"n1", "", "n2", "n[1-2]"} {
		is := was
		is.RequiredNodes = slurm.ReadHosts(nodes)
		k := knows(&was)
		k.intentBook = ledger.NewIntentBook(nil)
		k.isWrittenByUs = func(f slurm.Field) bool { return f == slurm.FieldRequiredNodes }
		gone, changed := k.compareJob(slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}, &is)
		if changed != "" || (gone == "") != (nodes == "n1") {
			t.Errorf("bound to %q: gone %q, changed %q", nodes, gone, changed)
		}
	}
}
