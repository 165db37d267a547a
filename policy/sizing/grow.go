package sizing

import (
	"container/heap"

	"fairbridge/policy/engine"
)

// Growth gives devices that would idle to jobs of a draft, one after the other to where it
// gains most.
type Growth struct {
	// Gain is what so many devices are worth to a job over those it has in the draft, for each
	// device more; not more than 0: nothing.
	Gain func(e *engine.Entry, devices int) float64
	// Next is the next larger size to try; not more than the present one: none.
	Next func(e *engine.Entry, devices int) int
}

// Run grows the jobs until nothing is free that any of them gains from. Of equal gains that of
// the first in the list counts.
func (g Growth) Run(d *Draft, jobs []*engine.Entry) {
	var h growthHeap
	for i, e := range jobs {
		h = g.push(h, d, growthStep{entry: e, place: i})
	}
	heap.Init(&h)
	for len(h) > 0 {
		s := heap.Pop(&h).(growthStep)
		if !d.TrySize(s.entry, s.devices, nil) {
			continue
		}
		if next, ok := g.next(d, s); ok {
			heap.Push(&h, next)
		}
	}
}

func (g Growth) push(h growthHeap, d *Draft, s growthStep) growthHeap {
	if next, ok := g.next(d, s); ok {
		h = append(h, next)
	}
	return h
}

// next is the step that follows for the job of a step; ok is false where there is none.
func (g Growth) next(d *Draft, s growthStep) (growthStep, bool) {
	has := d.Size(s.entry)
	s.devices = g.Next(s.entry, has)
	if s.devices <= has || s.devices < Least(s.entry) || s.devices > Most(s.entry) {
		return s, false
	}
	s.gain = g.Gain(s.entry, s.devices)
	return s, s.gain > 0
}

// growthStep is a size that a job may get next.
type growthStep struct {
	entry   *engine.Entry
	place   int // in the list
	devices int
	gain    float64
}

// growthHeap has the largest gain first.
type growthHeap []growthStep

// Len implements heap.Interface.
func (h growthHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h growthHeap) Less(i, j int) bool {
	if h[i].gain != h[j].gain {
		return h[i].gain > h[j].gain
	}
	return h[i].place < h[j].place
}

// Swap implements heap.Interface.
func (h growthHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *growthHeap) Push(x any) { *h = append(*h, x.(growthStep)) }

// Pop implements heap.Interface.
func (h *growthHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
