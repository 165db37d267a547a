package intake

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// typedView shows one waiting job, which asks for four a100 and accepts others, beside two nodes of a100 and one of h100
// with four.
func typedView(t *testing.T) *slurm.View {
	t.Helper()
	v := view(t, world(t, sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", TimeLimit: time.Hour, WorkTime: time.Hour, GPUsPerNode: 4, GPUType: "a100", Comment: "fairbridge:types=h100+t4"}))
	v.Nodes[0].Gres, v.Release = slurm.ReadGRES("gpu:h100:4"), "24.11.5"
	return v
}

// TestTypesThatCount: other types of GPU count in mode elastic where the gate would let them through; else the job has
// none, and is told why.
func TestTypesThatCount(t *testing.T) {
	for name, c := range map[string]struct {
		mode   bridge.Mode
		change func(*slurm.View, *Input)
		says   string // "": h100 counts
	}{
		"elastic":  {bridge.ModeElastic, nil, ""},
		"preempt":  {bridge.ModePreempt, nil, "not in mode elastic"},
		"no timer": {bridge.ModeElastic, func(_ *slurm.View, in *Input) { in.HasExpiryTimer = false }, "fairbridge expire"},
		"22.05":    {bridge.ModeElastic, func(v *slurm.View, _ *Input) { v.Release = "22.05.8" }, "goes on counting the former type"},
		"per job": {bridge.ModeElastic, func(v *slurm.View, _ *Input) {
			j := v.Job(1)
			j.GresPerJob, j.GresPerNode = j.GresPerNode, slurm.GRESList{}
		}, "--gres=gpu:N"},
		"several nodes":  {bridge.ModeElastic, func(v *slurm.View, _ *Input) { v.Job(1).MaxNodes = 2 }, "one task on one node"},
		"a constraint":   {bridge.ModeElastic, func(v *slurm.View, _ *Input) { v.Job(1).Features = slurm.ReadFeatures("[rack1|rack2]") }, "constraint"},
		"too few a node": {bridge.ModeElastic, func(v *slurm.View, _ *Input) { v.Nodes[0].Gres = slurm.ReadGRES("gpu:h100:2") }, "no node that the job may have has 4"},
		"not for it":     {bridge.ModeElastic, func(v *slurm.View, _ *Input) { v.Job(1).ExcludedNodes = slurm.ReadHosts(v.Nodes[0].Name) }, "no node that the job may have"},
		"any":            {bridge.ModeElastic, func(v *slurm.View, _ *Input) { setRequest(v.Job(1), "4") }, "adds nothing"},
	} {
		v := typedView(t)
		in := Input{View: v, Book: ledger.NewIntentBook(nil), HasExpiryTimer: true}
		if c.change != nil {
			c.change(v, &in)
		}
		j := AssembleSnapshot(in, bridge.Partition{Name: "gpu", Mode: c.mode}).Job(1)
		if counts := slices.Equal(j.GPUTypes, []string{"h100"}); counts != (c.says == "") || !strings.Contains(j.IgnoredReason, c.says) || c.says != "" && len(j.GPUTypes) > 0 {
			t.Errorf("%s: types %v, %q; want %q", name, j.GPUTypes, j.IgnoredReason, c.says)
		}
		if told := strings.Contains(j.IgnoredReason, `no GPU of type "t4"`); name == "elastic" && !told {
			t.Errorf("%s: that there is no t4 is not told: %q", name, j.IgnoredReason)
		}
	}
}

// TestOwnersTypeIsTheAsk: a type of ours is not taken for the owner's.
func TestOwnersTypeIsTheAsk(t *testing.T) {
	v := typedView(t)
	j := v.Job(1)
	ours := bridge.Intent{ID: 1, State: bridge.IntentObserved, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, Before: bridge.JobBefore{GPUs: 4, GPUType: "a100"}}
	j.RequestedTRES, j.GresPerNode = slurm.ReadTRES("cpu=1,gres/gpu=4,gres/gpu:h100=4"), slurm.ReadGRESRequest("gres/gpu:h100:4")
	p := AssembleSnapshot(Input{View: v, Book: ledger.NewIntentBook([]bridge.Intent{ours}), HasExpiryTimer: true}, bridge.Partition{Name: "gpu", Mode: bridge.ModeElastic}).Job(1)
	if p.Ask.GPUs.Type != "a100" || !slices.Equal(p.GPUTypes, []string{"h100"}) {
		t.Errorf("with our h100 it asks for %v and accepts %v", p.Ask.GPUs, p.GPUTypes)
	}
}
