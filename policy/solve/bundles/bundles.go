// Package bundles gives each of many items one of its bundles, amounts of two resources that are worth
// something to it, so that all together are worth much and no more is given than there is. It is the
// multiple-choice knapsack with two rows. Fill raises items step by step; Best finds prices of the
// resources (a Lagrangian relaxation) first, and bounds what any choice is worth.
package bundles

import (
	"container/heap"
	"math"
)

// Bundle is something an item may be given.
type Bundle struct {
	Amounts [2]float64 // of the resources, >= 0
	Worth   float64
}

// Fill raises items from the bundles they have, by index, as long as there is room: each time the one to
// a bundle with no less of anything that gains most for the part of what there is in all that it takes
// more. Of one resource and worths that are concave nothing is better, but for what the last step
// leaves. It returns the index of a bundle for each item. Those they have at first are given even where
// they exceed the capacity.
func Fill(capacity [2]float64, items [][]Bundle, start []int) []int {
	f := &filling{capacity: capacity, left: capacity, items: items, chosen: append([]int(nil), start...)}
	for i, b := range f.chosen {
		f.left[0] -= items[i][b].Amounts[0]
		f.left[1] -= items[i][b].Amounts[1]
	}
	for i := range items {
		f.pushStep(i)
	}
	for len(f.steps) > 0 {
		s := heap.Pop(&f.steps).(step)
		if f.fits(s.item, s.to) {
			f.take(s)
		}
		f.pushStep(s.item) // what did not fit never will: there is less and less
	}
	return f.chosen
}

// filling is one Fill under way.
type filling struct {
	capacity, left [2]float64
	items          [][]Bundle
	chosen         []int
	steps          steps
}

// step is from the bundle an item has to another.
type step struct {
	item, to int
	gain     float64 // for each part of the capacity
}

// roundingPart is the part of the capacity by which a sum of amounts may exceed it: what adding up makes.
const roundingPart = 1e-9

func (f *filling) fits(item, to int) bool {
	more := f.more(item, to)
	return more[0] <= f.left[0]+roundingPart*f.capacity[0] && more[1] <= f.left[1]+roundingPart*f.capacity[1]
}

// more is what a bundle has more than that which the item has.
func (f *filling) more(item, to int) [2]float64 {
	was, b := f.items[item][f.chosen[item]], f.items[item][to]
	return [2]float64{b.Amounts[0] - was.Amounts[0], b.Amounts[1] - was.Amounts[1]}
}

func (f *filling) take(s step) {
	more := f.more(s.item, s.to)
	f.left[0] -= more[0]
	f.left[1] -= more[1]
	f.chosen[s.item] = s.to
}

// pushStep adds the best step of the item for which there is room, if there is one.
func (f *filling) pushStep(item int) {
	best, was := step{item: item, to: -1}, f.items[item][f.chosen[item]]
	for to, b := range f.items[item] {
		more := f.more(item, to)
		if b.Worth <= was.Worth || more[0] < 0 || more[1] < 0 || !f.fits(item, to) {
			continue
		}
		if gain := (b.Worth - was.Worth) / partOf(more, f.capacity); best.to < 0 || gain > best.gain {
			best.to, best.gain = to, gain
		}
	}
	if best.to >= 0 {
		heap.Push(&f.steps, best)
	}
}

// partOf is what part of the capacity amounts are, both resources together; more than 0.
func partOf(amounts, capacity [2]float64) float64 {
	part := math.SmallestNonzeroFloat32
	for k, a := range amounts {
		if a > 0 {
			part += a / capacity[k]
		}
	}
	return part
}

// steps is a heap of steps, the best first.
type steps []step

// Len implements heap.Interface.
func (s steps) Len() int { return len(s) }

// Less implements heap.Interface.
func (s steps) Less(i, k int) bool {
	return s[i].gain > s[k].gain || s[i].gain == s[k].gain && s[i].item < s[k].item
}

// Swap implements heap.Interface.
func (s steps) Swap(i, k int) { s[i], s[k] = s[k], s[i] }

// Push implements heap.Interface.
func (s *steps) Push(x any) { *s = append(*s, x.(step)) }

// Pop implements heap.Interface.
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
