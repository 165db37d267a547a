package diff

import (
	"slices"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// startOnShards is a wish to start job 7, of one GPU and opted in, on a GPU of n2, of which job 8 of its user holds two of four
// shards; so many shards of ours stand in its record where that is not 0.
func startOnShards(ours int64) Input {
	w := startHere()
	w.AllowedMode = bridge.ModeShare
	w.View.Release = "24.11.5"
	w.View.Nodes[1].Gres, w.View.Nodes[1].GresUsed = slurm.ReadGRES("gpu:a100:1,shard:a100:4"), slurm.ReadGRES("gpu:a100:0,shard:a100:2(2/4)")
	w.View.Nodes[1].Partitions = []string{"gpu"}
	w.Snapshot.Nodes = []policy.Node{{Name: "n2", GPUs: []policy.NodeDevices{{Type: "a100", Count: 1, MemMB: 40_000, SharesPerGPU: 4}}}}
	share := &policy.Sharing{MemMB: 12_000, Utilisation: policy.KnownValue(.2)}
	ask := policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 1}}
	on := policy.Alloc{{Node: "n2", Type: "a100", Count: 1, Devices: 1}}
	w.Snapshot.Jobs = []policy.Job{{ID: 7, User: "eve", State: policy.Pending, Shareable: true, Sharing: share, Ask: ask}, {ID: 8, User: "eve", State: policy.Running, Shareable: true, Sharing: share, Ask: ask, On: on}}
	w.Plan.Decisions = []policy.Decision{{Job: 7, Verb: policy.Start, Rank: 1, On: on, Beside: 8, GPUs: 1, Why: "they accept each other"}, {Job: 8, Verb: policy.Keep, Rank: 2, On: on}}
	j := &w.View.Jobs[0]
	j.ProcessCount, j.MemPerNodeMB, j.User, j.Partitions = 1, 100, "eve", []string{"gpu"}
	j.RequestedTRES, j.GresPerNode = slurm.ReadTRES("cpu=1,gres/gpu=1,gres/gpu:a100=1"), slurm.ReadGRESRequest("gres/gpu:a100:1")
	if ours > 0 {
		j.RequestedTRES, j.GresPerNode = slurm.ReadTRES("cpu=1"), slurm.ReadGRESRequest("gres/shard:2")
		w.Book = ledger.NewIntentBook([]bridge.Intent{{ID: 1, State: bridge.IntentObserved, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSetShards, Value: ours, Nodes: []string{"n2"}}, Before: bridge.JobBefore{GPUs: 1, GPUType: "a100"}}})
	}
	w.View.Jobs = append(w.View.Jobs, slurm.Job{ID: 8, User: "eve", State: "RUNNING", Partitions: []string{"gpu"}, Nodes: slurm.ReadHosts("n2"), GresPerNode: slurm.ReadGRESRequest("gres/shard:2"), GresDetail: slurm.ReadGRESDetail([]string{"shard:2(2/4)"})})
	return w
}

// TestShards: a job that the plan starts beside another is bound to the node and gets shards; one that it does not
// gets back what its owner asked, of the type that he asked.
func TestShards(t *testing.T) {
	give := func(w *Input) {
		w.Plan.Decisions[0].Verb, w.Plan.Decisions[0].On, w.Plan.Decisions[0].Beside = policy.Wait, nil, 0
	}
	back := slurm.Edit{Kind: slurm.EditSetGPUs, Value: 1, Text: "a100"}
	for name, c := range map[string]struct {
		ours   int64
		change func(*Input)
		want   slurm.Edit // to the field of its GPUs; none: no kind
		pinned bool
	}{
		"it joins":                          {0, func(*Input) {}, slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n2"}}, true},
		"it has them, bound to the node":    {2, func(w *Input) { w.View.Jobs[0].RequiredNodes = slurm.ReadHosts("n2") }, slurm.Edit{}, false},
		"it has them, bound to another":     {2, func(w *Input) { w.View.Jobs[0].RequiredNodes = slurm.ReadHosts("n1") }, back, false},
		"it has them, and is bound nowhere": {2, func(*Input) {}, back, false},
		"no room for what it needs now": {2, func(w *Input) {
			w.Snapshot.Jobs[0].Sharing = &policy.Sharing{MemMB: 22_000, JobsPerGPU: 4, Utilisation: policy.KnownValue(.2)}
		}, back, false},
		"it waits":                  {2, give, back, false},
		"it waits, as it asked":     {0, give, slurm.Edit{}, false},
		"its owner took it back":    {2, func(w *Input) { w.Snapshot.Jobs[0].Shareable = false }, back, false},
		"a limit keeps it back":     {2, func(w *Input) { w.Snapshot.Jobs[0].HeldReason = "a limit" }, back, false},
		"it does not start":         {2, func(w *Input) { w.Snapshot.Jobs[0].StuckReason = "it did not start" }, back, false},
		"no node may be named":      {2, func(w *Input) { w.MayPin = false }, back, false},
		"mode elastic":              {2, func(w *Input) { w.AllowedMode, w.Snapshot.Jobs[0].Shareable = bridge.ModeElastic, false }, back, false},
		"mode preempt":              {2, func(w *Input) { w.AllowedMode, w.Snapshot.Jobs[0].Shareable = bridge.ModePreempt, false }, back, false},
		"mode rank":                 {2, func(w *Input) { w.AllowedMode = bridge.ModeRank }, back, false},
		"mode elastic, as it asked": {0, func(w *Input) { w.AllowedMode, w.Snapshot.Jobs[0].Shareable = bridge.ModeElastic, false }, slurm.Edit{}, false},
	} {
		w := startOnShards(c.ours)
		c.change(&w)
		var got slurm.Edit
		pinned := false
		for _, e := range Diff(w) {
			if e.Kind.Field() == slurm.FieldGPUs {
				if got.Kind != "" {
					t.Errorf("%s: two edits of its GPUs", name)
				}
				got = e
			}
			pinned = pinned || e.Kind == slurm.EditRequireNodes && slices.Equal(e.Nodes, []string{"n2"})
		}
		if got.Kind != c.want.Kind || got.Value != c.want.Value || got.Text != c.want.Text || !slices.Equal(got.Nodes, c.want.Nodes) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if pinned != c.pinned {
			t.Errorf("%s: bound to the node %v, want %v", name, pinned, c.pinned)
		}
	}
}
