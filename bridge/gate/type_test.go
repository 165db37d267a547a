package gate_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// typedWorld is the elastic world with four H100 on n6. Jobs 1 and 11 ask for four A100 and nothing else, and accept H100.
func typedWorld() gate.PlanInput {
	in := elasticWorld()
	in.View.Release = "24.11.5"
	in.Snapshot.Nodes = append(in.Snapshot.Nodes, policy.Node{Name: "n6", Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "h100", Count: 4}}})
	in.View.Nodes = append(in.View.Nodes, slurm.Node{Name: "n6", State: "IDLE", Partitions: []string{"gpu"}, Gres: slurm.ReadGRES("gpu:h100:4")})
	for _, id := range []int64{1, 11} {
		p, j := planJob(&in.CommonInput, id), viewJob(&in.CommonInput, id)
		p.Ask.GPUs.Type, p.GPUTypes, p.MinGPUs, p.MaxGPUs = "a100", []string{"h100"}, 0, 0
		j.GresPerNode, j.RequestedTRES = slurm.ReadGRESRequest("gres/gpu:a100:4"), slurm.ReadTRES("gres/gpu=4,gres/gpu:a100=4")
	}
	return in
}

// onH100 is so many H100 of n6.
func onH100(n int) policy.Alloc { return policy.Alloc{{Node: "n6", Type: "h100", Count: n}} }

// TestTypesOfStarts: a job starts on another type of GPU only if its owner accepts that, in mode elastic, with a timer,
// and where Slurm can give the type back.
func TestTypesOfStarts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*gate.PlanInput, *policy.Decision)
		want   string // the invariant that refuses it
	}{
		"accepted":       {func(*gate.PlanInput, *policy.Decision) {}, ""},
		"not accepted":   {func(in *gate.PlanInput, _ *policy.Decision) { planJob(&in.CommonInput, 1).GPUTypes = nil }, "I23"},
		"another number": {func(_ *gate.PlanInput, d *policy.Decision) { d.GPUs, d.On = 2, onH100(2) }, "I23"},
		"22.05":          {func(in *gate.PlanInput, _ *policy.Decision) { in.View.Release = "22.05.8" }, "I23"},
		"no timer":       {func(in *gate.PlanInput, _ *policy.Decision) { in.HasExpiryTimer = false }, "I23"},
		"several tasks":  {func(in *gate.PlanInput, _ *policy.Decision) { viewJob(&in.CommonInput, 1).ProcessCount = 4 }, "I23"},
		"mode preempt":   {func(in *gate.PlanInput, _ *policy.Decision) { in.ModeByPartition["gpu"] = bridge.ModePreempt }, "I20"},
		"any type":       {func(in *gate.PlanInput, _ *policy.Decision) { planJob(&in.CommonInput, 1).Ask.GPUs.Type = "" }, ""},
		"partly its own": {func(_ *gate.PlanInput, d *policy.Decision) { d.On = append(gpusOf("n5", 2), onH100(2)...) }, "I23"},
		"and another number": {func(in *gate.PlanInput, d *policy.Decision) {
			planJob(&in.CommonInput, 1).MinGPUs, planJob(&in.CommonInput, 1).MaxGPUs = 2, 8
			d.GPUs, d.On = 2, onH100(2)
		}, ""},
	} {
		in := typedWorld()
		d := decision(in.Plan, 1)
		d.Verb, d.GPUs, d.On = policy.Start, 4, onH100(4)
		c.change(&in, d)
		out := gate.FilterPlan(in)
		if got := refusals(out.Refusals, 1); got != c.want || (decision(out.Plan, 1).Verb == policy.Start) != (c.want == "") {
			t.Errorf("%s: refused by %q, want %q; it is to %s", name, got, c.want, decision(out.Plan, 1).Verb)
		}
	}
}

// TestMovesToAnotherType: a running job is moved to another type of GPU by the rules of sizes, and the stop says which; a
// move on the same type is none of that.
func TestMovesToAnotherType(t *testing.T) {
	short := func(in *gate.PlanInput, _ *policy.Decision) {
		in.Budgets.Quantum = time.Minute
		viewJob(&in.CommonInput, 11).Start = noon.Add(-19 * time.Minute)
	}
	for name, c := range map[string]struct {
		change func(*gate.PlanInput, *policy.Decision)
		resume string // the type, "": none is noted
		want   string
	}{
		"accepted":     {func(*gate.PlanInput, *policy.Decision) {}, "h100", ""},
		"not accepted": {func(in *gate.PlanInput, _ *policy.Decision) { planJob(&in.CommonInput, 11).GPUTypes = nil }, "", "I23"},
		"a short run":  {short, "", "I23"},
		"a short run, moved on its type": {func(in *gate.PlanInput, d *policy.Decision) {
			short(in, d)
			d.On = gpusOf("n5", 4)
		}, "", ""},
		"mode preempt": {func(in *gate.PlanInput, _ *policy.Decision) { in.ModeByPartition["gpu"] = bridge.ModePreempt }, "", "I20"},
		"back to its own": {func(in *gate.PlanInput, d *policy.Decision) {
			planJob(&in.CommonInput, 11).On, d.On = onH100(4), gpusOf("n5", 4)
		}, "", ""},
	} {
		in := typedWorld()
		d := decision(in.Plan, 11)
		d.Verb, d.GPUs, d.On = policy.Move, 4, onH100(4)
		c.change(&in, d)
		out := gate.FilterPlan(in)
		stopped := len(out.Stops) == 1 && out.Stops[0].ResumeType == c.resume
		if got := refusals(out.Refusals, 11); got != c.want || stopped != (c.want == "") {
			t.Errorf("%s: refused by %q, want %q; stops %+v", name, got, c.want, out.Stops)
		}
	}
}

// TestTypeEdits: no type is written that its owner does not accept, beside nodes that lack it, or that the plan let
// through did not have.
func TestTypeEdits(t *testing.T) {
	plan := typedWorld()
	d := decision(plan.Plan, 11)
	d.Verb, d.GPUs, d.On = policy.Move, 4, onH100(4)
	stops := gate.FilterPlan(plan).Stops
	for name, c := range map[string]struct {
		edit   slurm.Edit
		change func(*gate.EditInput)
		want   string
	}{
		"accepted":      {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, nil, ""},
		"not accepted":  {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "t4"}, nil, "does not accept"},
		"another count": {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2, Text: "h100"}, nil, "not elastic"},
		"22.05":         {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, func(in *gate.EditInput) { in.View.Release = "22.05.8" }, "goes on counting"},
		"no timer":      {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, func(in *gate.EditInput) { in.HasExpiryTimer = false }, "take it back"},
		"bound to A100": {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, func(in *gate.EditInput) {
			viewJob(&in.CommonInput, 1).RequiredNodes = slurm.ReadHosts("n1")
		}, "n1, to which it is bound, has no GPU of type h100"},
		"bound to H100": {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "h100"}, func(in *gate.EditInput) {
			viewJob(&in.CommonInput, 1).RequiredNodes = slurm.ReadHosts("n6")
		}, ""},
		"a pin where A100 are not": {slurm.Edit{Kind: slurm.EditRequireNodes, Nodes: []string{"n6"}}, nil, "no GPU of type a100"},
		"a requeue for h100":       {slurm.Edit{Kind: slurm.EditRequeue, Value: 4, Text: "h100"}, nil, ""},
		"a requeue for t4":         {slurm.Edit{Kind: slurm.EditRequeue, Value: 4, Text: "t4"}, nil, "resume on 4 t4"},
		"a requeue for its own":    {slurm.Edit{Kind: slurm.EditRequeue, Value: 4}, nil, "resume on 4 GPUs"},
	} {
		in := editInput()
		in.CommonInput = typedWorld().CommonInput
		job := int64(1)
		if c.edit.Kind == slurm.EditRequeue {
			job = 11
		}
		in.Mode, in.AllowedStops = bridge.ModeElastic, stops
		if c.change != nil {
			c.change(&in)
		}
		c.edit.Run, c.edit.Tasks, c.edit.Why = viewJob(&in.CommonInput, job).CurrentRun(), 1, "so"
		in.Edits = []slurm.Edit{c.edit}
		kept, refused := gate.FilterEdits(in)
		if len(kept) != 1 && c.want == "" || c.want != "" && (len(refused) != 1 || !strings.Contains(refused[0].Why, c.want)) {
			t.Errorf("%s: kept %v, refused %+v, want %q", name, kept, refused, c.want)
		}
	}
}
