package elasticflow

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// example is the job of the rules' examples: T(1, 2, 4) = 1, 1.5, 2, a slot a second.
func example(id int, need, deadline float64) *demand {
	return &demand{entry: &engine.Entry{Job: &policy.Job{ID: policy.JobID(id)}}, levels: []int{1, 2, 4}, speeds: []float64{1, 1.5, 2}, need: need, deadline: deadline}
}

// free is what is free slot by slot, the last for ever.
func free(slots ...int) profile {
	var p profile
	for i, n := range slots {
		p = append(p, piece{float64(i), n})
	}
	return p
}

// bySlot prints a plan slot by slot.
func bySlot(steps []step) string {
	var all []int
	for _, s := range steps {
		for float64(len(all)) < s.until {
			all = append(all, s.gpus)
		}
	}
	return fmt.Sprint(all)
}

func newExamplePlanner(p profile) *planner {
	return &planner{kinds: []profile{p}, slot: 1, plans: map[*demand][]step{}, declined: map[*demand]bool{}, lost: map[*demand]bool{}}
}

// TestMinimumShare are the examples (a) of the rules.
func TestMinimumShare(t *testing.T) {
	for _, c := range []struct {
		free profile
		need float64
		want string
	}{
		{free(1, 4), 3, "[1 4]"}, {free(1, 4), 3.1, "none"}, {free(4, 4), 3, "[2 2]"}, {free(4, 4), 2, "[1 1]"},
		{free(4, 4), 2.5, "[1 2]"}, {free(4, 4), 1, "[1]"}, {free(0, 4), 2, "[0 4]"},
	} {
		steps, ok := example(1, c.need, 2).minimumShare(c.free, 1)
		got := "none"
		if ok {
			got = bySlot(steps)
		}
		if got != c.want {
			t.Errorf("free %v, need %g: %s, want %s", c.free, c.need, got, c.want)
		}
	}
}

// TestAdmission are the examples (b) and (c).
func TestAdmission(t *testing.T) {
	a, b, c, d := example(1, 1, 1), example(2, 1.5, 1), example(3, 3, 2), example(4, 1, 2)
	p := newExamplePlanner(free(4))
	p.admit([]*demand{a, b, c, d})
	if got := bySlot(p.plans[a]) + bySlot(p.plans[b]) + bySlot(p.plans[c]); got != "[1][2][1 4]" {
		t.Errorf("%s, want [1][2][1 4]", got)
	}
	left := p.clone()[0]
	for _, x := range []*demand{a, b, c} {
		left.take(p.plans[x])
	}
	if left[0].free != 0 || left[1].free != 0 || left[2].free != 4 || !p.declined[d] {
		t.Errorf("%v is left, D declined: %v; want 0, 0, 4 and true", left, p.declined[d])
	}
	a, b, c = example(1, 2, 2), example(2, 3, 2), example(3, 2, 3)
	p = newExamplePlanner(free(4))
	p.admit([]*demand{a, b, c})
	if got := bySlot(p.plans[a]) + bySlot(p.plans[b]) + bySlot(p.plans[c]); got != "[1 1][2 2][1 1]" {
		t.Errorf("%s, want [1 1][2 2][1 1]", got)
	}
}

// TestLeftover is example (d): a GPU that is left goes to the job that wastes least of it, in
// the published program to the one that wastes most.
func TestLeftover(t *testing.T) {
	for dearest, want := range map[bool][]int{false: {0, 1}, true: {1, 0}} {
		jobs := []sized{
			{demand: &demand{levels: []int{1, 2}, speeds: []float64{1, 1.5}, need: 6, minRun: 1}, plan: []step{{9, 1}}},
			{demand: &demand{levels: []int{1, 2}, speeds: []float64{1, 1.9}, need: 6, minRun: 1}, plan: []step{{9, 1}}},
		}
		if _, cost := jobs[0].nextStep(); math.Abs(cost-2) > 1e-9 {
			t.Errorf("the first wastes %g GPU-slots, want 2", cost)
		}
		if _, cost := jobs[1].nextStep(); math.Abs(cost-.316) > 1e-3 {
			t.Errorf("the second wastes %g GPU-slots, want 0.316", cost)
		}
		divideLeftover(jobs, []profile{free(1)}, dearest)
		if got := []int{jobs[0].level, jobs[1].level}; !slices.Equal(got, want) {
			t.Errorf("dearest first %v: levels %v, want %v", dearest, got, want)
		}
	}
}

// TestPlansHold draws jobs and lets time pass by their plans, with departures and GPUs left
// over: those that were admitted always have a plan, on the least level that is enough, on no
// more than is free, and never for less GPU time than one GPU a unit of work.
func TestPlansHold(t *testing.T) {
	admitted, declined := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		capacity := rapid.IntRange(1, 16).Draw(rt, "capacity")
		var jobs []*demand
		for i := range rapid.IntRange(1, 8).Draw(rt, "jobs") {
			d := example(i+1, float64(rapid.IntRange(1, 40).Draw(rt, "need"))/2, float64(rapid.IntRange(1, 20).Draw(rt, "deadline")))
			if rapid.Bool().Draw(rt, "rigid") {
				d.levels, d.speeds = []int{4}, []float64{2}
			}
			jobs = append(jobs, d)
		}
		p := newExamplePlanner(free(capacity))
		p.admit(slices.Clone(jobs))
		admitted, declined = admitted+len(p.admitted), declined+len(p.declined)
		for len(p.admitted) > 0 {
			checkPlans(rt, p, capacity)
			p = passSlot(rt, p, capacity)
		}
	})
	if admitted == 0 || declined == 0 {
		t.Errorf("%d jobs were admitted and %d declined: the test shows too little", admitted, declined)
	}
}

// checkPlans wants plans that end in time, on no more than there is.
func checkPlans(t *rapid.T, p *planner, capacity int) {
	left := free(capacity)
	for _, d := range p.admitted {
		if steps := p.plans[d]; !d.endsBy(steps) {
			t.Fatalf("need %g by %g: plan %v is too short", d.need, d.deadline, steps)
		}
		left.take(p.plans[d])
		gpuTime, from := 0., 0.
		for _, s := range p.plans[d] {
			gpuTime, from = gpuTime+float64(s.gpus)*(s.until-from), s.until
		}
		if gpuTime < d.need*(1-1e-9) {
			t.Fatalf("need %g in %g GPU-slots", d.need, gpuTime)
		}
	}
	for _, x := range left {
		if x.free < 0 {
			t.Fatalf("more than %d GPUs are planned: %v", capacity, left)
		}
	}
}

// passSlot lets a slot pass: jobs run by their plans, some on more than that, one may leave.
func passSlot(t *rapid.T, p *planner, capacity int) *planner {
	old := map[*demand][]step{}
	var on []*demand
	for _, d := range p.admitted {
		level := d.levelWithin(p.plans[d][0].gpus, len(d.levels)-1)
		if level < len(d.levels)-1 && rapid.IntRange(0, 3).Draw(t, "leftover") == 0 {
			level++
		}
		next := *d
		if next.deadline--; level >= 0 {
			next.need -= d.speeds[level]
		}
		if next.need <= 1e-9 || rapid.IntRange(0, 9).Draw(t, "leaves") == 0 {
			continue
		}
		c := newCommitments(time.Time{}, []demand{*d}, map[*demand][]step{})
		c.Jobs = append(c.Jobs, commitment{})
		for _, s := range p.plans[d] {
			c.Jobs[0].Until, c.Jobs[0].GPUs = append(c.Jobs[0].Until, s.until), append(c.Jobs[0].GPUs, s.gpus)
		}
		on = append(on, &next)
		old[&next] = c.Jobs[0].stepsAt(1)
	}
	later := newExamplePlanner(free(capacity))
	later.keep(on, old)
	if len(later.lost) > 0 {
		t.Fatalf("%d jobs that were admitted cannot be kept", len(later.lost))
	}
	return later
}
