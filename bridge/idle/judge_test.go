package idle_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/idle"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// startsSoon is within how long a job that is not eligible yet holds its place in the line.
const startsSoon = 10 * time.Minute

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// scene is a node of eight GPUs: jobs 1 and 2 hold four each, 1 since longer without work, and jobs 3 and 4 wait for four each.
type scene struct {
	s *policy.Snapshot
	p *policy.Plan
	f *bridge.Facts
	r idle.Rules
}

func newScene() *scene {
	x := &scene{
		s: &policy.Snapshot{Now: noon, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}},
		p: &policy.Plan{}, f: &bridge.Facts{View: &slurm.View{At: noon}, UseByJob: map[int64]bridge.JobUse{}}, r: idle.Rules{After: 2 * time.Hour, StopPause: 30 * time.Minute},
	}
	for id := policy.JobID(1); id <= 4; id++ {
		j := policy.Job{ID: id, Partition: "gpu", State: policy.Pending, Submit: noon.Add(-9 * time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}, MinNodes: 1, MaxNodes: 1, CPUs: 4, MemMB: 10}}
		d := policy.Decision{Job: id, Verb: policy.Wait, Rank: int(id), Why: "waits"}
		if id <= 2 {
			j.State, j.Start, j.On = policy.Running, noon.Add(-8*time.Hour), policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}
			d.Verb, d.On, d.GPUs = policy.Keep, j.On, 4
			x.f.UseByJob[int64(id)] = bridge.JobUse{IdleFor: time.Duration(5-id) * time.Hour}
		}
		x.s.Jobs, x.p.Decisions = append(x.s.Jobs, j), append(x.p.Decisions, d)
		x.f.View.Jobs = append(x.f.View.Jobs, slurm.Job{ID: int64(id), State: map[bool]string{true: "RUNNING", false: "PENDING"}[id <= 2], Directive: slurm.Directive{Preemptible: true, RequeueIdle: id <= 2}})
	}
	return x
}

func (x *scene) idleFor(job int64, d time.Duration) { x.f.UseByJob[job] = bridge.JobUse{IdleFor: d} }

// TestJudge: who is stopped and for whom, at each bound.
func TestJudge(t *testing.T) {
	stopped := func(job, to int64) bridge.Intent {
		in := bridge.Intent{State: bridge.IntentObserved, Made: noon.Add(-29 * time.Minute), Sent: noon.Add(-29 * time.Minute)}
		in.Edit.Run.Job, in.Before.Stop = job, &bridge.StopCost{Beneficiary: to}
		return in
	}
	for name, c := range map[string]struct {
		change    func(x *scene)
		job, for2 int64
	}{
		"the one that is idle longest": {nil, 1, 3},
		"off":                          {func(x *scene) { x.r.After = 0 }, 0, 0},
		"just long enough":             {func(x *scene) { x.idleFor(1, 2*time.Hour); x.idleFor(2, 0) }, 1, 3},
		"a second too short":           {func(x *scene) { x.idleFor(1, 2*time.Hour-time.Second); x.idleFor(2, 0) }, 0, 0},
		"nothing is measured":          {func(x *scene) { x.f.UseByJob = nil }, 0, 0},
		"the owner of one allows it":   {func(x *scene) { x.f.View.Jobs[0].Directive.RequeueIdle = false }, 2, 3},
		"no owner allows it": {func(x *scene) {
			x.f.View.Jobs[0].Directive.RequeueIdle, x.f.View.Jobs[1].Directive.RequeueIdle = false, false
		}, 0, 0},
		"a replica waits for requests":   {func(x *scene) { x.f.View.Jobs[0].Directive.Service = "chat" }, 2, 3},
		"it must not be stopped":         {func(x *scene) { x.s.Jobs[0].UnstoppableReason = "its owner did not opt in" }, 2, 3},
		"it is suspended":                {func(x *scene) { x.s.Jobs[0].State = policy.Suspended }, 2, 3},
		"it is stopped anyway":           {func(x *scene) { x.p.Decisions[0].Verb = policy.Stop }, 0, 0},
		"the view does not show it":      {func(x *scene) { x.f.View.Jobs = x.f.View.Jobs[1:] }, 2, 3},
		"no job waits":                   {func(x *scene) { x.p.Decisions[2].Verb, x.p.Decisions[3].Verb = policy.Hold, policy.Hold }, 0, 0},
		"the first is held":              {func(x *scene) { x.s.Jobs[2].HeldReason = "its owner holds it" }, 1, 4},
		"the first begins soon":          {func(x *scene) { x.s.Jobs[2].EligibleAt = noon.Add(time.Second) }, 0, 0},
		"it begins much later":           {func(x *scene) { x.s.Jobs[2].EligibleAt = noon.Add(startsSoon + time.Second) }, 1, 4},
		"the first did not start before": {func(x *scene) { x.s.Jobs[2].StuckReason = "it was to start" }, 0, 0},
		"where it fits is not known":     {func(x *scene) { x.s.Jobs[2].UnplaceableReason = "constraint [a|b]" }, 0, 0},
		"the policy holds it back":       {func(x *scene) { x.p.Decisions[2].Verb = policy.Hold }, 0, 0},
		"another is stopped anyway":      {func(x *scene) { x.p.Decisions[1].Verb = policy.Stop }, 0, 0},
		"another leaves anyway": {func(x *scene) {
			x.s.Nodes[0].GPUs[0].Count = 12
			x.p.Decisions[1].Verb, x.p.Decisions[1].On = policy.Move, policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}
		}, 0, 0},
		"the first was stopped so itself": {func(x *scene) {
			in := stopped(3, 4)
			in.Before.Stop.Idle, in.Made = time.Hour, noon.Add(-time.Minute)
			x.f.Intents, x.p.Decisions[3].Rank = []bridge.Intent{in}, 9
		}, 0, 0},
		"the first wants more than that": {func(x *scene) { x.s.Jobs[2].Ask.GPUs.Count = 8 }, 0, 0},
		"the first wants another type":   {func(x *scene) { x.s.Jobs[2].Ask.GPUs.Type = "h100" }, 1, 4},
		"the first takes any type":       {func(x *scene) { x.s.Jobs[2].Ask.GPUs.Type, x.s.Jobs[2].Ask.GPUs.Count = "", 8 }, 0, 0},
		"the plan's order counts":        {func(x *scene) { x.p.Decisions[2].Rank, x.p.Decisions[3].Rank = 4, 3 }, 1, 4},
		"there is room without it":       {func(x *scene) { x.s.Nodes[0].GPUs[0].Count = 12 }, 0, 0},
		"there is, and the plan gives it": {func(x *scene) {
			x.s.Nodes[0].GPUs[0].Count = 12
			x.p.Decisions[2].Verb, x.p.Decisions[2].On = policy.Start, policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}
		}, 1, 4},
		"its cores are not enough":        {func(x *scene) { x.s.Jobs[2].Ask.CPUs = 63; x.s.Jobs[3].Ask.CPUs = 63 }, 0, 0},
		"one was stopped for it just now": {func(x *scene) { x.f.Intents = []bridge.Intent{stopped(7, 3)} }, 0, 0},
		"one was, and Slurm refused": {func(x *scene) {
			x.f.Intents = []bridge.Intent{stopped(7, 3)}
			x.f.Intents[0].State = bridge.IntentFailed
		}, 1, 3},
		"one was warned for it": {func(x *scene) {
			x.f.Intents = []bridge.Intent{stopped(1, 3)}
			x.f.Intents[0].Before.Stop.Signal = slurm.USR1
		}, 1, 3},
		"one was, a while ago": {func(x *scene) {
			x.f.Intents = []bridge.Intent{stopped(7, 3)}
			x.f.Intents[0].Made = noon.Add(-30 * time.Minute)
		}, 1, 3},
	} {
		x := newScene()
		if c.change != nil {
			c.change(x)
		}
		got := idle.Judge(x.s, x.p, x.f, x.r)
		if (got == nil) != (c.job == 0) || got != nil && (got.Job != c.job || got.For != c.for2 || got.On.Count() != 4 || got.Idle != x.f.UseByJob[got.Job].IdleFor) {
			t.Errorf("%s: %+v, want job %d for %d", name, got, c.job, c.for2)
		}
		if again := idle.Judge(x.s, x.p, x.f, x.r); !cmp.Equal(got, again) {
			t.Errorf("%s: the same facts lead to %+v and %+v", name, got, again)
		}
	}
}

// TestApply: one is stopped and the other starts, both are told why, and the plan stays as it was.
func TestApply(t *testing.T) {
	x := newScene()
	before := cmp.Diff(x.p, &policy.Plan{})
	got := idle.Apply(x.s, x.p, idle.Judge(x.s, x.p, x.f, x.r))
	from, to := got.Decisions[0], got.Decisions[2]
	if from.Verb != policy.Stop || from.StoppedFor != 3 || from.On != nil || to.Verb != policy.Start || to.On.Count() != 4 || to.GPUs != 4 {
		t.Errorf("%+v, %+v", from, to)
	}
	if !strings.Contains(from.Why, "did no work for 4h") || !strings.Contains(from.Why, "job 3 waits for them") || !strings.Contains(to.Why, "job 1 did no work") {
		t.Errorf("%q, %q", from.Why, to.Why)
	}
	if err := got.Check(x.s); err != nil {
		t.Error(err)
	}
	if cmp.Diff(x.p, &policy.Plan{}) != before {
		t.Error("the policy's plan was changed")
	}
	if idle.Apply(x.s, nil, nil) != nil || idle.LetOthersGoFirst(x.s, nil, nil) != nil {
		t.Error("a plan out of none")
	}
}

// TestWhoWasStoppedGoesSecond: a job that was stopped so does not start before the one it was stopped for, for ten minutes and
// while that waits.
func TestWhoWasStoppedGoesSecond(t *testing.T) {
	for name, c := range map[string]struct {
		change func(x *scene, in *bridge.Intent)
		yields bool
	}{
		"it does":                   {nil, true},
		"it was warned only":        {func(_ *scene, in *bridge.Intent) { in.Before.Stop.Signal = slurm.USR1 }, false},
		"it was another stop":       {func(_ *scene, in *bridge.Intent) { in.Before.Stop.Idle = 0 }, false},
		"it was not sent":           {func(_ *scene, in *bridge.Intent) { in.Sent = time.Time{} }, false},
		"Slurm refused":             {func(_ *scene, in *bridge.Intent) { in.State = bridge.IntentFailed }, false},
		"ten minutes ago":           {func(_ *scene, in *bridge.Intent) { in.Made = noon.Add(-10 * time.Minute) }, false},
		"the other is held":         {func(x *scene, _ *bridge.Intent) { x.s.Jobs[3].HeldReason = "held" }, false},
		"the other is held back":    {func(x *scene, _ *bridge.Intent) { x.p.Decisions[3].Verb = policy.Hold }, false},
		"the other is gone":         {func(_ *scene, in *bridge.Intent) { in.Before.Stop.Beneficiary = 77 }, false},
		"it runs again":             {func(x *scene, _ *bridge.Intent) { x.s.Jobs[2].State = policy.Running }, false},
		"the other is ahead anyway": {func(x *scene, _ *bridge.Intent) { x.p.Decisions[2].Rank, x.p.Decisions[3].Rank = 4, 3 }, false},
	} {
		x := newScene()
		x.p.Decisions[2].Verb, x.p.Decisions[2].On = policy.Start, policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}
		in := bridge.Intent{State: bridge.IntentObserved, Made: noon.Add(-time.Minute), Sent: noon.Add(-time.Minute)}
		in.Edit.Run.Job, in.Before.Stop = 3, &bridge.StopCost{Beneficiary: 4, Idle: 3 * time.Hour}
		if c.change != nil {
			c.change(x, &in)
		}
		was := x.p.Decisions[2].Rank
		got := idle.LetOthersGoFirst(x.s, x.p, []bridge.Intent{in}).Decisions
		if yields := got[2].Verb == policy.Wait && got[2].Rank == 4 && got[3].Rank == 3; yields != c.yields || !yields && (got[2].Verb != policy.Start || got[2].Rank != was) {
			t.Errorf("%s: %+v, %+v", name, got[2], got[3])
		}
	}
}
