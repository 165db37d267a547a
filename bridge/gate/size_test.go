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

// elasticWorld is the little world in mode elastic, with a free node n5. Jobs 1 and 11 may run on 2 to 8 GPUs and ask
// for 4; 11 holds them on n1 and says that a restart costs it a minute.
func elasticWorld() gate.PlanInput {
	in := planInput()
	in.ModeByPartition["gpu"] = bridge.ModeElastic
	in.Snapshot.Nodes = append(in.Snapshot.Nodes, policy.Node{Name: "n5", Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
	for _, id := range []int64{1, 11} {
		p, j := planJob(&in.CommonInput, id), viewJob(&in.CommonInput, id)
		p.Ask.GPUs.Count, p.MinGPUs, p.MaxGPUs, p.CheckpointCost = 4, 2, 8, time.Minute
		j.MaxNodes, j.ProcessCount, j.GresPerNode, j.RequestedTRES = 1, 1, slurm.ReadGRESRequest("gres/gpu:4"), slurm.ReadTRES("gres/gpu=4")
	}
	planJob(&in.CommonInput, 11).On = gpusOf("n1", 4)
	decision(in.Plan, 11).On, decision(in.Plan, 11).GPUs = gpusOf("n1", 4), 4
	return in
}

func gpusOf(node string, n int) policy.Alloc {
	return policy.Alloc{{Node: node, Type: "a100", Count: n}}
}

// TestSizesOfStarts: a job starts on another number of GPUs only within what its owner declared,
// on one node, in mode elastic, and above its own number only with a timer.
func TestSizesOfStarts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*gate.PlanInput, *policy.Decision)
		want   string // the invariant that refuses it
	}{
		"fewer":           {func(*gate.PlanInput, *policy.Decision) {}, ""},
		"more":            {func(_ *gate.PlanInput, d *policy.Decision) { d.GPUs, d.On = 8, gpusOf("n5", 8) }, ""},
		"its own":         {func(_ *gate.PlanInput, d *policy.Decision) { d.GPUs, d.On = 4, gpusOf("n5", 4) }, ""},
		"below its range": {func(_ *gate.PlanInput, d *policy.Decision) { d.GPUs, d.On = 1, gpusOf("n5", 1) }, "I23"},
		"above its range": {func(in *gate.PlanInput, d *policy.Decision) {
			planJob(&in.CommonInput, 1).MaxGPUs = 6
			d.GPUs, d.On = 8, gpusOf("n5", 8)
		}, "I23"},
		"rigid": {func(in *gate.PlanInput, _ *policy.Decision) {
			planJob(&in.CommonInput, 1).MinGPUs, planJob(&in.CommonInput, 1).MaxGPUs = 0, 0
		}, "I23"},
		"other devices": {func(_ *gate.PlanInput, d *policy.Decision) { d.On = gpusOf("n5", 3) }, "I23"},
		"no place":      {func(_ *gate.PlanInput, d *policy.Decision) { d.On = nil }, "I23"},
		"more without timer": {func(in *gate.PlanInput, d *policy.Decision) {
			in.HasExpiryTimer = false
			d.GPUs, d.On = 8, gpusOf("n5", 8)
		}, "I23"},
		"fewer without timer": {func(in *gate.PlanInput, _ *policy.Decision) { in.HasExpiryTimer = false }, ""},
		"cores a GPU":         {func(in *gate.PlanInput, _ *policy.Decision) { viewJob(&in.CommonInput, 1).CPUsPerGRES = "gres/gpu:4" }, "I23"},
		"mode preempt":        {func(in *gate.PlanInput, _ *policy.Decision) { in.ModeByPartition["gpu"] = bridge.ModePreempt }, "I20"},
		"observing":           {func(in *gate.PlanInput, _ *policy.Decision) { in.ModeByPartition["gpu"] = bridge.ModeObserve }, ""},
	} {
		in := elasticWorld()
		d := decision(in.Plan, 1)
		d.Verb, d.GPUs, d.On = policy.Start, 2, gpusOf("n5", 2)
		c.change(&in, d)
		out := gate.FilterPlan(in)
		if got := refusals(out.Refusals, 1); got != c.want || (decision(out.Plan, 1).Verb == policy.Start) != (c.want == "") {
			t.Errorf("%s: refused by %q, want %q; it is to %s", name, got, c.want, decision(out.Plan, 1).Verb)
		}
	}
}

// TestResizes: a running job is requeued for another size only once it ran twenty times what a
// restart costs it, and the stop says the size.
func TestResizes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*gate.PlanInput, *policy.Decision)
		want   string
	}{
		"fewer":           {func(*gate.PlanInput, *policy.Decision) {}, ""},
		"more":            {func(_ *gate.PlanInput, d *policy.Decision) { d.GPUs, d.On = 8, gpusOf("n1", 8) }, ""},
		"as many":         {func(_ *gate.PlanInput, d *policy.Decision) { d.GPUs, d.On = 4, gpusOf("n1", 4) }, "I23"},
		"below its range": {func(_ *gate.PlanInput, d *policy.Decision) { d.GPUs, d.On = 1, gpusOf("n1", 1) }, "I23"},
		"a short run": {func(in *gate.PlanInput, _ *policy.Decision) {
			in.Budgets.Quantum = time.Minute
			viewJob(&in.CommonInput, 11).Start = noon.Add(-19 * time.Minute)
		}, "I23"},
		"nearly done": {func(in *gate.PlanInput, _ *policy.Decision) {
			planJob(&in.CommonInput, 11).PredictedLeft = 19 * time.Minute
		}, "I23"},
		"a cost not known": {func(in *gate.PlanInput, _ *policy.Decision) {
			planJob(&in.CommonInput, 11).CheckpointCost, in.Budgets.RestartCost = 0, 0
			viewJob(&in.CommonInput, 11).Start = noon.Add(-99 * time.Minute)
		}, "I23"},
		"not opted in":     {func(in *gate.PlanInput, _ *policy.Decision) { planJob(&in.CommonInput, 11).UnstoppableReason = "no" }, "I5"},
		"mode preempt":     {func(in *gate.PlanInput, _ *policy.Decision) { in.ModeByPartition["gpu"] = bridge.ModePreempt }, "I20"},
		"budgets of stops": {func(in *gate.PlanInput, _ *policy.Decision) { in.Budgets.UserStops1h = 0 }, "I7"},
	} {
		in := elasticWorld()
		d := decision(in.Plan, 11)
		d.Verb, d.GPUs, d.On = policy.Resize, 2, gpusOf("n1", 2)
		c.change(&in, d)
		out := gate.FilterPlan(in)
		stopped := len(out.Stops) == 1 && out.Stops[0].ResumeGPUs == d.GPUs && out.Stops[0].GPUs == 4 && out.Stops[0].Beneficiary == 11
		if got := refusals(out.Refusals, 11); got != c.want || stopped != (c.want == "") {
			t.Errorf("%s: refused by %q, want %q; stops %+v", name, got, c.want, out.Stops)
		}
	}
}

// TestStopsCountWhatIsHeld: a job that runs on a size of ours, and whose owner took the range back since, costs what it
// holds and not what was asked.
func TestStopsCountWhatIsHeld(t *testing.T) {
	for held, percent := range map[int]int{2: 2, 8: 8} {
		in := elasticWorld()
		p, d := planJob(&in.CommonInput, 11), decision(in.Plan, 11)
		p.MinGPUs, p.MaxGPUs, p.On = 0, 0, gpusOf("n5", held)
		d.Verb, d.GPUs, d.On = policy.Resize, 4, gpusOf("n5", 4)
		out := gate.FilterPlan(in)
		if len(out.Stops) != 1 || out.Stops[0].GPUs != float64(held) || out.Stops[0].Lost != policy.ServiceForTime(float64(held), time.Minute) {
			t.Errorf("it holds %d: %+v, refused %+v", held, out.Stops, out.Refusals)
		}
		in.Budgets.PlanStopFloor, in.Budgets.PlanStopPercent = 0, 100*float64(percent-1)/in.Snapshot.WholeGPUs()
		if out := gate.FilterPlan(in); len(out.Stops) > 0 || refusals(out.Refusals, 11) != "I7" {
			t.Errorf("it holds %d, one more than a plan may empty: %+v", held, out.Stops)
		}
	}
}

// TestSizeEdits: the edits say nothing that the plan let through did not.
func TestSizeEdits(t *testing.T) {
	plan := elasticWorld()
	d := decision(plan.Plan, 11)
	d.Verb, d.GPUs, d.On = policy.Resize, 2, gpusOf("n1", 2)
	stops := gate.FilterPlan(plan).Stops
	for name, c := range map[string]struct {
		edit slurm.Edit
		mode bridge.Mode
		want string
	}{
		"a start on 2":        {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2}, bridge.ModeElastic, ""},
		"a start on 9":        {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 9}, bridge.ModeElastic, "not between"},
		"in mode preempt":     {slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2}, bridge.ModePreempt, "does not allow"},
		"a requeue for 2":     {slurm.Edit{Kind: slurm.EditRequeue, Value: 2}, bridge.ModeElastic, ""},
		"a requeue for 3":     {slurm.Edit{Kind: slurm.EditRequeue, Value: 3}, bridge.ModeElastic, "resume on 3"},
		"a requeue for none":  {slurm.Edit{Kind: slurm.EditRequeue}, bridge.ModeElastic, "resume on 0"},
		"a requeue, preempts": {slurm.Edit{Kind: slurm.EditRequeue, Value: 2}, bridge.ModePreempt, "does not allow"},
	} {
		in := editInput()
		in.CommonInput = elasticWorld().CommonInput
		job := int64(1)
		if c.edit.Kind == slurm.EditRequeue {
			job = 11
		}
		in.Mode, in.ModeByPartition, in.AllowedStops = c.mode, map[string]bridge.Mode{"gpu": c.mode}, stops
		c.edit.Run, c.edit.Tasks, c.edit.Why = viewJob(&in.CommonInput, job).CurrentRun(), 1, "so"
		in.Edits = []slurm.Edit{c.edit}
		kept, refused := gate.FilterEdits(in)
		if len(kept) != 1 && c.want == "" || c.want != "" && (len(refused) != 1 || !strings.Contains(refused[0].Why, c.want)) {
			t.Errorf("%s: kept %v, refused %+v, want %q", name, kept, refused, c.want)
		}
	}
}
