package policy

import (
	"math"
	"strings"
	"testing"
)

// sound is a job that prepares sound: memory makes it faster with six cores, not with three.
var sound = &CPUScaling{AcceptsLess: true, Points: []CPUPoint{{1, 20_000, .3}, {3, 20_000, 1}, {6, 20_000, 1.5}, {6, 60_000, 2.5}}}

func TestSpeedByCoresAndMemory(t *testing.T) {
	for _, c := range []struct{ cpus, memMB, want float64 }{
		{3, 20_000, 1}, {3, 90_000, 1}, {2, 20_000, .65}, {.5, 20_000, .15}, {6, 20_000, 1.5}, {6, 40_000, 2}, {6, 60_000, 2.5}, {9, 90_000, 2.5},
		{4.5, 60_000, 1.75}, {3, 10_000, 0}, {0, 20_000, 0},
	} {
		if got := sound.Speed(c.cpus, c.memMB); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%g cores, %g MB: %g, want %g", c.cpus, c.memMB, got, c.want)
		}
	}
	if got := sound.SpeedWith(2, Amounts{CPUs: 12}); got != 2.5 {
		t.Errorf("12 cores for 2 GPUs, memory as much as it can use: %g, want 2.5", got)
	}
	if got := sound.SpeedWith(2, Amounts{MemMB: 40_000}); got != 1.5 {
		t.Errorf("40000 MB for 2 GPUs, cores as many as it can use: %g, want 1.5", got)
	}
	if got := new(CPUScaling).SpeedWith(1, Amounts{1, 1}); got != 0 {
		t.Errorf("without points %g", got)
	}
}

// TestSpeedNeverFalls: more cores or memory make no job slower, wherever its points are.
func TestSpeedNeverFalls(t *testing.T) {
	odd := &CPUScaling{Points: []CPUPoint{{1, 50_000, 1}, {2, 10_000, .4}, {2, 60_000, .9}, {4, 20_000, 2}, {4, 30_000, 1.5}}}
	for cpus := .25; cpus < 6; cpus += .25 {
		for memMB := 5_000.; memMB < 80_000; memMB += 2_500 {
			v := odd.Speed(cpus, memMB)
			if odd.Speed(cpus+.25, memMB) < v-1e-12 || odd.Speed(cpus, memMB+2_500) < v-1e-12 {
				t.Fatalf("with %g cores and %g MB it is %g, and slower with more", cpus, memMB, v)
			}
		}
	}
}

// amountsCase is a lawful plan on a node of 4 GPUs, 12 cores and 240,000 MB: job 1 keeps 3 cores, job 2
// starts with fewer than it asks, job 3 with more.
func amountsCase() (*Snapshot, *Plan) {
	on := Alloc{{Node: "n1", Type: "a100", Count: 1}}
	ask := Ask{GPUs: GPUs{Type: "a100", Count: 1}, CPUs: 3, MemMB: 60_000}
	text := &CPUScaling{AcceptsLess: true, Points: []CPUPoint{{1, 20_000, 1}}}
	s := &Snapshot{Now: checkNow, Nodes: []Node{{Name: "n1", Partitions: []string{"p"}, CPUs: 12, MemMB: 240_000, GPUs: []NodeDevices{{Type: "a100", Count: 4}}}}, Jobs: []Job{
		{ID: 1, State: Running, Partition: "p", On: on, Ask: ask},
		{ID: 2, State: Pending, Partition: "p", Ask: ask, CPUScaling: text},
		{ID: 3, State: Pending, Partition: "p", Ask: ask, CPUScaling: sound},
	}}
	return s, &Plan{Decisions: []Decision{
		{Job: 1, Verb: Keep, Rank: 1, On: on, GPUs: 1, Why: "runs"},
		{Job: 2, Verb: Start, Rank: 2, On: on, GPUs: 1, Why: "x", Given: Amounts{CPUs: 1, MemMB: 20_000}},
		{Job: 3, Verb: Start, Rank: 3, On: on, GPUs: 1, Why: "x", Given: Amounts{CPUs: 6}},
	}}
}

func TestCheckAmounts(t *testing.T) {
	for _, c := range []struct {
		name, want string
		breaks     func(*Snapshot, *Plan)
	}{
		{"lawful", "", func(*Snapshot, *Plan) {}},
		{"more than the node has", "job 2: node n1 has 12 cores", func(_ *Snapshot, p *Plan) { p.Decisions[2].Given.CPUs = 9 }},
		{"more memory than the node has", "240000 MB for its jobs", func(_ *Snapshot, p *Plan) { p.Decisions[2].Given.MemMB = 200_000 }},
		{"what runs with more", "job 2: node n1 has 12 cores", func(s *Snapshot, _ *Plan) { s.Jobs[0].Given = Amounts{CPUs: 6} }},
		{"its owner accepts no less", "accepts no less than 3 cores", func(s *Snapshot, _ *Plan) { s.Jobs[1].CPUScaling = &CPUScaling{Points: sound.Points} }},
		{"slower than with its share", "job 2: given 1 core and 20000 MB, slower than with its share by GPUs, 3 cores", func(s *Snapshot, _ *Plan) { s.Jobs[1].CPUScaling = sound }},
		{"nothing is known", "job 3: given 6 cores, but it is not known", func(s *Snapshot, _ *Plan) { s.Jobs[2].CPUScaling = nil }},
		{"negative", "job 3: given -6 cores", func(_ *Snapshot, p *Plan) { p.Decisions[2].Given.CPUs = -6 }},
		{"it asks for none", "job 3: given 6 cores, it asks for 60000 MB", func(s *Snapshot, _ *Plan) { s.Jobs[2].Ask.CPUs = 0 }},
		{"kept with others", "job 1: given 4 cores, but it is not placed", func(_ *Snapshot, p *Plan) { p.Decisions[0].Given.CPUs = 4 }},
		{"nowhere", "job 2: given 1 core and 20000 MB, but it is not placed", func(_ *Snapshot, p *Plan) { p.Decisions[1].Verb, p.Decisions[1].On = Wait, nil }},
		{"restarted where it is", "", func(s *Snapshot, p *Plan) {
			s.Jobs[0].CPUScaling, p.Decisions[0].Verb, p.Decisions[0].Given = sound, Move, Amounts{CPUs: 4}
		}},
		{"restarted for nothing", "job 1: moved to where it is", func(s *Snapshot, p *Plan) {
			s.Jobs[0].CPUScaling, s.Jobs[0].Given = sound, Amounts{CPUs: 4}
			p.Decisions[0].Verb, p.Decisions[0].Given = Move, Amounts{CPUs: 4}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := amountsCase()
			c.breaks(s, p)
			switch err := p.Check(s); {
			case c.want == "" && err != nil:
				t.Errorf("unlawful: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
