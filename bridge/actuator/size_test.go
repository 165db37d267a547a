package actuator

import (
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

// sizeable is a job whose number of GPUs can be changed: 4 on one node, one task.
func sizeable() slurm.Job {
	j := bridgetest.NewWaitingJob()
	j.NodeCount, j.MaxNodes, j.ProcessCount = 1, 1, 1
	j.RequestedTRES, j.GresPerNode = slurm.ReadTRES("cpu=1,gres/gpu=4"), slurm.ReadGRESRequest("gres/gpu:4")
	return j
}

// TestFixedSizeReason: what real Slurm was found not to change cleanly is not tried.
func TestFixedSizeReason(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*slurm.Job)
		free   bool
	}{
		"as asked":           {func(*slurm.Job) {}, true},
		"a type":             {func(j *slurm.Job) { j.GresPerNode = slurm.ReadGRESRequest("gres:gpu:a100:4") }, true},
		"no number of nodes": {func(j *slurm.Job) { j.MaxNodes = 0 }, true},
		"cores a task":       {func(j *slurm.Job) { j.GresPerTask = slurm.ReadGRESRequest("cpu=8") }, true},
		"interactive":        {func(j *slurm.Job) { j.IsBatch = false }, false},
		"a task of an array": {func(j *slurm.Job) { j.ArrayJobID, j.IsArrayTask = 3, true }, false},
		"heterogeneous":      {func(j *slurm.Job) { j.HetJobID = 3 }, false},
		"per job":            {func(j *slurm.Job) { j.GresPerJob, j.GresPerNode = j.GresPerNode, slurm.GRESList{} }, false},
		"per job beside":     {func(j *slurm.Job) { j.GresPerJob = j.GresPerNode }, false},
		"per task":           {func(j *slurm.Job) { j.GresPerTask = slurm.ReadGRESRequest("gres/gpu=1") }, false},
		"per socket only":    {func(j *slurm.Job) { j.GresPerNode = slurm.GRESList{} }, false},
		"shards too":         {func(j *slurm.Job) { j.GresPerNode = slurm.ReadGRESRequest("gres/gpu:4,gres/shard:2") }, false},
		"slices":             {func(j *slurm.Job) { j.GresPerNode = slurm.ReadGRESRequest("gres/gpu:1g.5gb:4") }, false},
		"unreadable":         {func(j *slurm.Job) { j.GresPerNode = slurm.ReadGRESRequest("gres/gpu:::") }, false},
		"cores a GPU":        {func(j *slurm.Job) { j.CPUsPerGRES = "gres/gpu:4" }, false},
		"two nodes":          {func(j *slurm.Job) { j.NodeCount, j.MaxNodes, j.ProcessCount = 2, 2, 2 }, false},
		"up to two nodes":    {func(j *slurm.Job) { j.MaxNodes = 2 }, false},
		"four tasks":         {func(j *slurm.Job) { j.ProcessCount = 4 }, false},
		"tasks not told":     {func(j *slurm.Job) { j.ProcessCount = 0 }, false},
		"whole nodes":        {func(j *slurm.Job) { j.Exclusive = true }, false},
	} {
		j := sizeable()
		if c.change(&j); (FixedSizeReason(&j) == "") != c.free {
			t.Errorf("%s: %q, want free %v", name, FixedSizeReason(&j), c.free)
		}
	}
}

// TestWhoseSize: no GPUs at all are a number that somebody wrote after us, too; what cannot be read is hidden.
func TestWhoseSize(t *testing.T) {
	in := &bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2}, Before: bridge.JobBefore{GPUs: 4}}
	for name, c := range map[string]struct {
		tres, gres string
		want       ValueOwner
	}{
		"ours":           {"cpu=1,gres/gpu=2", "gres/gpu:2", OwnerUs},
		"the owner's":    {"cpu=1,gres/gpu=4", "gres/gpu:4", OwnerOther},
		"none any more":  {"cpu=1,mem=1G", "", OwnerOther},
		"not shown":      {"", "", OwnerHidden},
		"not counted":    {"", "gres/gpu:2", OwnerUs},
		"not understood": {"cpu=1", "gres/gpu:::", OwnerHidden},
	} {
		j := sizeable()
		j.RequestedTRES, j.GresPerNode = slurm.ReadTRES(c.tres), slurm.ReadGRESRequest(c.gres)
		if got := ValueOwnerOf(in, &j); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestWhoseType: of a type of ours, another type of as many is somebody else's, and what gives back is the owner's number and type
// alone. An intent of before types were noted says nothing of them.
func TestWhoseType(t *testing.T) {
	ours := bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, Before: bridge.JobBefore{GPUs: 4, GPUType: "a100"}}
	old := bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4}, Before: bridge.JobBefore{GPUs: 8}}
	for name, c := range map[string]struct {
		in   *bridge.Intent
		gres string
		want ValueOwner
		says string
	}{
		"ours":               {&ours, "gres/gpu:h100:4", OwnerUs, ""},
		"the owner's":        {&ours, "gres/gpu:a100:4", OwnerOther, "it asks for 4 a100 now, we had set 4 h100"},
		"any":                {&ours, "gres/gpu:4", OwnerOther, "it asks for 4 GPUs now, we had set 4 h100"},
		"fewer of ours":      {&ours, "gres/gpu:h100:2", OwnerOther, "it asks for 2 h100 now, we had set 4 h100"},
		"a type, not noted":  {&old, "gres/gpu:a100:4", OwnerUs, ""},
		"a count, not noted": {&old, "gres/gpu:a100:2", OwnerOther, "it asks for 2 a100 now, we had set 4 GPUs"},
	} {
		j := sizeable()
		j.GresPerNode = slurm.ReadGRESRequest(c.gres)
		j.RequestedTRES = slurm.ReadTRES("cpu=1")
		if got := ValueOwnerOf(c.in, &j); got != c.want || got == OwnerOther && ForeignChange(c.in, &j) != c.says {
			t.Errorf("%s: %s, want %s; %q", name, got, c.want, ForeignChange(c.in, &j))
		}
		e, ok := NewUndoEdit(c.in, &j, bridgetest.Noon)
		if !ok || e.Value != c.in.Before.GPUs || e.Text != c.in.Before.GPUType || !GivesBack(e, &c.in.Before) {
			t.Errorf("%s: it is given back by %v, %t", name, e, ok)
		}
	}
	if GivesBack(slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, &ours.Before) {
		t.Error("as many of another type give nothing back")
	}
}
