package gate_test

import (
	"slices"
	"strings"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// sharedWorld is a world in mode share with a node n6 of one GPU of four shards, of which job 11 has two. Job 1 of its
// user asks for one GPU, and the plan starts it beside that one.
func sharedWorld() gate.PlanInput {
	in := elasticWorld()
	in.View.Release, in.ModeByPartition["gpu"] = "24.11.5", bridge.ModeShare
	in.Snapshot.Nodes = append(in.Snapshot.Nodes, policy.Node{Name: "n6", Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 1, MemMB: 40_000, SharesPerGPU: 4}}})
	in.View.Nodes = append(in.View.Nodes, slurm.Node{Name: "n6", State: "MIXED", Partitions: []string{"gpu"}, Gres: slurm.ReadGRES("gpu:a100:1,shard:a100:4"), GresUsed: slurm.ReadGRES("shard:a100:2(2/4)")})
	for _, id := range []int64{1, 11} {
		p, j := planJob(&in.CommonInput, id), viewJob(&in.CommonInput, id)
		p.User, j.User = "eve", "eve"
		p.Ask.GPUs, p.MinGPUs, p.MaxGPUs, p.Shareable = policy.GPUs{Count: 1}, 0, 0, true
		p.Sharing = &policy.Sharing{MemMB: 12_000, Utilisation: policy.KnownValue(.2)}
		j.GresPerNode, j.RequestedTRES, j.MemPerNodeMB, j.ProcessCount, j.NodeCount = slurm.ReadGRESRequest("gres/gpu:1"), slurm.ReadTRES("gres/gpu=1"), 100, 1, 1
	}
	host, r := planJob(&in.CommonInput, 11), viewJob(&in.CommonInput, 11)
	host.On, host.UnstoppableReason = policy.Alloc{{Node: "n6", Type: "a100", Count: 1, Devices: 1}}, "so"
	r.Nodes, r.GresPerNode, r.RequestedTRES, r.AllocatedTRES, r.GresDetail = slurm.ReadHosts("n6"), slurm.ReadGRESRequest("gres/shard:2"), slurm.ReadTRES("cpu=1"), slurm.ReadTRES("cpu=1"), slurm.ReadGRESDetail([]string{"shard:2(2/4)"})
	d := decision(in.Plan, 11)
	d.Verb, d.On, d.GPUs = policy.Keep, host.On, 1
	d = decision(in.Plan, 1)
	d.Verb, d.On, d.GPUs, d.Beside = policy.Start, host.On, 1, 11
	return in
}

// TestSharedStarts: a job starts beside another only if both owners accept that, their memory suffices, the mode and the
// release allow it, and something would take the shards back.
func TestSharedStarts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*gate.PlanInput)
		want   string // the invariant that refuses it
	}{
		"both opted in": {func(*gate.PlanInput) {}, ""},
		"it did not":    {func(in *gate.PlanInput) { planJob(&in.CommonInput, 1).Shareable = false }, "I24"},
		"the other not": {func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).Shareable = false }, "I24"},
		"another user":  {func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).User = "bob" }, "I24"},
		"too much memory": {func(in *gate.PlanInput) {
			planJob(&in.CommonInput, 11).Sharing = &policy.Sharing{MemMB: 30_000, Utilisation: policy.KnownValue(.2)}
		}, "I24"},
		"it is whole": {func(in *gate.PlanInput) {
			viewJob(&in.CommonInput, 11).GresDetail = slurm.ReadGRESDetail([]string{"gpu:a100:1(IDX:0)"})
		}, "I24"},
		"22.05":        {func(in *gate.PlanInput) { in.View.Release = "22.05.8" }, "I24"},
		"no timer":     {func(in *gate.PlanInput) { in.HasExpiryTimer = false }, "I24"},
		"mode elastic": {func(in *gate.PlanInput) { in.ModeByPartition["gpu"] = bridge.ModeElastic }, "I20"},
		"old records":  {func(in *gate.PlanInput) { in.View.IsFullRead = false }, "I13"},
	} {
		in := sharedWorld()
		c.change(&in)
		out := gate.FilterPlan(in)
		if out.NeedsFullRead != (c.want == "I13") {
			t.Errorf("%s: a whole list is asked for: %v", name, out.NeedsFullRead)
		}
		if got := refusals(out.Refusals, 1); got != c.want || (decision(out.Plan, 1).Verb == policy.Start) != (c.want == "") {
			t.Errorf("%s: refused by %q, want %q; it is to %s: %s", name, got, c.want, decision(out.Plan, 1).Verb, decision(out.Plan, 1).Why)
		}
	}
}

// TestShardEdits: shards that must not be asked for are not, and then no node is named for them either.
func TestShardEdits(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*gate.EditInput)
		value  int64
		want   string
	}{
		"as planned":      {func(*gate.EditInput) {}, 2, ""},
		"another number":  {func(*gate.EditInput) {}, 1, "2 shards"},
		"not opted in":    {func(in *gate.EditInput) { planJob(&in.CommonInput, 1).Shareable = false }, 2, "opt in"},
		"a stranger":      {func(in *gate.EditInput) { planJob(&in.CommonInput, 11).User = "bob" }, 2, "beside job 11"},
		"no timer":        {func(in *gate.EditInput) { in.HasExpiryTimer = false }, 2, "if the daemon died"},
		"mode elastic":    {func(in *gate.EditInput) { in.Mode = bridge.ModeElastic }, 2, "does not allow"},
		"old records":     {func(in *gate.EditInput) { in.View.IsFullRead = false }, 2, "whole list"},
		"another release": {func(in *gate.EditInput) { in.View.Release = "23.11" }, 2, "23.11"},
	} {
		in := editInput()
		in.CommonInput, in.Mode = sharedWorld().CommonInput, bridge.ModeShare
		c.change(&in)
		run := viewJob(&in.CommonInput, 1).CurrentRun()
		in.Edits = []slurm.Edit{{Run: run, Kind: slurm.EditSetShards, Value: c.value, Nodes: []string{"n6"}, Tasks: 1, Why: "so"}, {Run: run, Kind: slurm.EditRequireNodes, Nodes: []string{"n6"}, Tasks: 1, Why: "so"}}
		kept, refused := gate.FilterEdits(in)
		isRefused := slices.ContainsFunc(refused, func(r bridge.Refusal) bool { return strings.Contains(r.Why, c.want) })
		switch {
		case c.want == "" && (len(kept) != 2 || kept[0].Kind != slurm.EditRequireNodes || kept[1].Kind != slurm.EditSetShards):
			t.Errorf("%s: %v is sent, refused %v", name, kept, refused)
		case c.want != "" && (len(kept) != 0 || !isRefused):
			t.Errorf("%s: %v is sent, refused %v, want %q", name, kept, refused, c.want)
		}
	}
}

// TestASharedGPUIsFreeOnce: stopping one of two jobs on a GPU makes no room.
func TestASharedGPUIsFreeOnce(t *testing.T) {
	for _, both := range []bool{false, true} {
		in := sharedWorld()
		for _, id := range []int64{11} {
			planJob(&in.CommonInput, id).UnstoppableReason = ""
			d := decision(in.Plan, id)
			d.Verb, d.On, d.StoppedFor = policy.Stop, nil, 1
		}
		d := decision(in.Plan, 1)
		d.Beside, d.On = 0, policy.Alloc{{Node: "n6", Type: "a100", Count: 1}}
		planJob(&in.CommonInput, 1).Shareable = false
		if both { // job 12 is on the same GPU, and stays
			p := planJob(&in.CommonInput, 12)
			p.On, p.Shareable = policy.Alloc{{Node: "n6", Type: "a100", Count: 1, Devices: 1}}, true
			decision(in.Plan, 12).On = p.On
		}
		out := gate.FilterPlan(in)
		why := ""
		for _, r := range out.Refusals {
			if r.Job == 11 {
				why = r.Why
			}
		}
		if fits := !strings.Contains(why, "would still not fit"); fits == both {
			t.Errorf("another on the GPU %v: it fits %v (%s)", both, fits, why)
		}
	}
}

// TestShardEditsOfOthers: starts on shards that no record shows yet count: of the same cycle, of other partitions, and of edits
// whose outcome is not known.
func TestShardEditsOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*gate.EditInput)
		want   string // why job 1 gets no shards
	}{
		"nobody else": {func(*gate.EditInput) {}, ""},
		"of the same cycle": {func(in *gate.EditInput) {
			j := viewJob(&in.CommonInput, 2)
			viewJob(&in.CommonInput, 11).Nodes = slurm.ReadHosts("n1") // nobody is there yet
			in.Edits = append(in.Edits, slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n6"}, Tasks: 1, Why: "so"})
		}, "job 1 waits for shards there too"},
		"of another partition": {func(in *gate.EditInput) {
			in.EditsElsewhere = []slurm.Edit{{Run: viewJob(&in.CommonInput, 2).CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n6"}}}
		}, "job 2 waits for shards there too"},
		"of an open outcome": {func(in *gate.EditInput) {
			e := slurm.Edit{Run: viewJob(&in.CommonInput, 2).CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n6"}}
			in.IntentBook = ledger.NewIntentBook([]bridge.Intent{{ID: 7, Edit: e, State: bridge.IntentUnknown, Sent: noon}})
		}, "job 2 waits for shards there too"},
	} {
		in := editInput()
		in.CommonInput, in.Mode = sharedWorld().CommonInput, bridge.ModeShare
		p, j := planJob(&in.CommonInput, 2), viewJob(&in.CommonInput, 2)
		one, r := *planJob(&in.CommonInput, 1), *viewJob(&in.CommonInput, 1)
		p.User, p.Ask.GPUs, p.MinGPUs, p.MaxGPUs, p.Shareable, p.Sharing = "bob", one.Ask.GPUs, 0, 0, true, one.Sharing
		j.User, j.GresPerNode, j.RequestedTRES, j.MemPerNodeMB, j.ProcessCount, j.NodeCount = "bob", r.GresPerNode, r.RequestedTRES, 100, 1, 1
		planJob(&in.CommonInput, 11).Sharing.MemMB, planJob(&in.CommonInput, 11).User = 12_000, "eve"
		in.Edits = []slurm.Edit{{Run: r.CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n6"}, Tasks: 1, Why: "so"}}
		c.change(&in)
		kept, refused := gate.FilterEdits(in)
		isRefused := slices.ContainsFunc(refused, func(r bridge.Refusal) bool { return r.Job < 3 && strings.Contains(r.Why, c.want) })
		if most := len(in.Edits); (c.want == "" && len(kept) != 1) || c.want != "" && (len(kept) == most || !isRefused) {
			t.Errorf("%s: %v is sent, refused %v, want %q", name, kept, refused, c.want)
		}
	}
}

// TestBoundWhileOnShards: a job that asks for shards stays bound to the node that was looked at until it has its GPU back, also
// while the outcome of the edit that asks for them is open; and it asks for none while it is not known what it is bound to.
func TestBoundWhileOnShards(t *testing.T) {
	back := slurm.Edit{Kind: slurm.EditSetGPUs, Value: 1, Tasks: 1, Why: "so"}
	free, elsewhere := slurm.Edit{Kind: slurm.EditRequireNodes, Tasks: 1, Why: "so"}, slurm.Edit{Kind: slurm.EditRequireNodes, Nodes: []string{"n1"}, Tasks: 1, Why: "so"}
	more := slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n6"}, Tasks: 1, Why: "so"}
	for name, c := range map[string]struct {
		pin, shards bridge.IntentState
		edits       []slurm.Edit
		kept        string
	}{
		"its GPU and its freedom back":        {bridge.IntentObserved, bridge.IntentObserved, []slurm.Edit{free, back}, "gpus require "},
		"its freedom alone":                   {bridge.IntentObserved, bridge.IntentObserved, []slurm.Edit{free}, ""},
		"another node":                        {bridge.IntentObserved, bridge.IntentObserved, []slurm.Edit{elsewhere}, ""},
		"another node, its GPU back":          {bridge.IntentObserved, bridge.IntentObserved, []slurm.Edit{elsewhere, back}, "gpus require "},
		"shards may still come":               {bridge.IntentObserved, bridge.IntentUnknown, []slurm.Edit{free}, ""},
		"shards did not come":                 {bridge.IntentObserved, bridge.IntentFailed, []slurm.Edit{free}, "require "},
		"shards, bound":                       {bridge.IntentObserved, bridge.IntentVoid, []slurm.Edit{more}, "shards "},
		"shards, while bound to nobody knows": {bridge.IntentUnknown, bridge.IntentVoid, []slurm.Edit{more}, ""},
	} {
		in := editInput()
		in.CommonInput, in.Mode = sharedWorld().CommonInput, bridge.ModeShare
		j := viewJob(&in.CommonInput, 1)
		j.RequiredNodes = slurm.ReadHosts("n6")
		if c.shards == bridge.IntentObserved {
			j.GresPerNode, j.RequestedTRES = slurm.ReadGRESRequest("gres/shard:2"), slurm.ReadTRES("cpu=1")
		}
		in.IntentBook = ledger.NewIntentBook([]bridge.Intent{
			{ID: 1, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: []string{"n6"}}, State: c.pin},
			{ID: 2, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n6"}}, State: c.shards, Before: bridge.JobBefore{GPUs: 1}},
		})
		for _, e := range c.edits {
			e.Run = j.CurrentRun()
			in.Edits = append(in.Edits, e)
		}
		kept, refused := gate.FilterEdits(in)
		got := ""
		for _, e := range kept {
			got += string(e.Kind) + " "
		}
		if got != c.kept {
			t.Errorf("%s: %q is sent, want %q; refused %v", name, got, c.kept, refused)
		}
	}
}
