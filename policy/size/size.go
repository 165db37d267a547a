// Package size says on how many devices jobs should run.
package size

import (
	"fairbridge/policy/engine"
)

// Asked gives every job what it asks, and lets those that run keep what they
// hold. It is what a nil stage does.
type Asked struct{}

// Size implements engine.Sizer.
func (Asked) Size(_ *engine.Round, line []*engine.Entry) ([]int, error) {
	want := make([]int, len(line))
	for i, e := range line {
		want[i] = e.Size()
	}
	return want, nil
}

// Elastic gives, in line order, every job what it needs at least while there
// is something left, and then what remains to the first of the line, up to
// what each can use. Jobs that are not engine.Entry.Elastic, or that name no
// GPU type, get what they ask.
type Elastic struct {
	// Step is by what factor a running job must be able to grow to be worth its
	// restart; 0: 2.
	Step float64
}

// Size implements engine.Sizer.
func (s Elastic) Size(r *engine.Round, line []*engine.Entry) ([]int, error) {
	want, left := make([]int, len(line)), capacity(r)
	served := make([]bool, len(line))
	for i, e := range line {
		want[i] = e.Size()
		if !r.Startable(e) {
			continue
		}
		if s.flexible(e) {
			want[i] = e.MinGPUs
		}
		if typ := e.Ask.GPUs.Type; left[typ] >= want[i] || e.Active() {
			left[typ] -= want[i]
			served[i] = true
		}
	}
	for i, e := range line {
		if served[i] && s.flexible(e) {
			more := max(min(e.MaxGPUs-want[i], left[e.Ask.GPUs.Type]), 0)
			left[e.Ask.GPUs.Type] -= more
			want[i] = s.settle(e, want[i]+more)
		}
	}
	return want, nil
}

func (Elastic) flexible(e *engine.Entry) bool {
	return e.Elastic() && e.Ask.GPUs.Type != "" && e.Fixed == ""
}

// settle leaves a running job at its size unless it shrinks, or grows enough.
func (s Elastic) settle(e *engine.Entry, want int) int {
	step := s.Step
	if step <= 0 {
		step = 2
	}
	if has := e.On.Count(); e.Active() && want > has && float64(want) < step*float64(has) {
		return has
	}
	return want
}

// capacity returns the devices by type that jobs hold or could get.
func capacity(r *engine.Round) map[string]int {
	c := map[string]int{}
	seen := map[string]bool{}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			if !seen[d.Type] {
				seen[d.Type] = true
				c[d.Type] = r.Free.TotalFree(d.Type)
			}
		}
	}
	for _, e := range r.Entries {
		for _, slot := range e.On {
			c[slot.Type] += slot.Count
		}
	}
	return c
}
