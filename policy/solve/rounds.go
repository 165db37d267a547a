package solve

import (
	"cmp"
	"math/bits"
	"slices"
)

// Gang takes a number of rounds of a window, with Size devices in each.
type Gang struct {
	Size   int
	Rounds int
	Weight float64 // of its mean round
}

// Arrange says which rounds of a window each gang gets, as bits from the first
// round up (at most 64), so that the sum of Weight times mean round is small:
// gangs by Weight per round and device, each in the first rounds with room. A
// gang that finds no round any more although there is room over several gets
// one by moving others. If some is lost even so, the widest and longest gangs
// are put first, each into the emptiest rounds, should less be lost that way.
func Arrange(gangs []Gang, rounds, size int) []uint64 {
	a := newArrangement(gangs, rounds, size)
	urgency := func(i int) float64 {
		return gangs[i].Weight / float64(gangs[i].Rounds*max(gangs[i].Size, 1))
	}
	slices.SortFunc(a.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(urgency(j), urgency(i)), cmp.Compare(gangs[j].Size, gangs[i].Size), cmp.Compare(i, j))
	})
	for _, i := range a.order {
		a.seat(i)
	}
	for _, i := range a.order {
		a.repair(i)
	}
	if a.lost() == 0 {
		return a.in
	}
	b := newArrangement(gangs, rounds, size)
	slices.SortFunc(b.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(gangs[j].Size, gangs[i].Size), cmp.Compare(gangs[j].Rounds, gangs[i].Rounds), cmp.Compare(urgency(j), urgency(i)), cmp.Compare(i, j))
	})
	for _, i := range b.order {
		b.level(i)
	}
	if b.lost() < a.lost() {
		return b.in
	}
	return a.in
}

type arrangement struct {
	gangs []Gang
	free  []int // by round
	in    []uint64
	order []int // gangs that want rounds
}

func newArrangement(gangs []Gang, rounds, size int) *arrangement {
	a := &arrangement{gangs: gangs, free: make([]int, min(rounds, 64)), in: make([]uint64, len(gangs))}
	for t := range a.free {
		a.free[t] = size
	}
	for i, g := range gangs {
		if g.Rounds > 0 && g.Size <= size {
			a.order = append(a.order, i)
		}
	}
	return a
}

// lost counts devices times rounds.
func (a *arrangement) lost() int {
	n := 0
	for _, i := range a.order {
		n += a.missing(i) * a.gangs[i].Size
	}
	return n
}

// level gives the gang the rounds with most room.
func (a *arrangement) level(i int) {
	for _, t := range a.emptiest(i) {
		if a.missing(i) > 0 && a.open(i, t) {
			a.put(i, t)
		}
	}
}

// emptiest returns the rounds the gang is not in, most room first.
func (a *arrangement) emptiest(i int) []int {
	order := make([]int, 0, len(a.free))
	for t := range a.free {
		if a.in[i]&(1<<t) == 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(s, t int) int { return cmp.Compare(a.free[t], a.free[s]) })
	return order
}

func (a *arrangement) missing(i int) int { return a.gangs[i].Rounds - bits.OnesCount64(a.in[i]) }

// seat gives the gang the first rounds with room.
func (a *arrangement) seat(i int) {
	for t := range a.free {
		if a.missing(i) <= 0 {
			return
		}
		if a.open(i, t) {
			a.put(i, t)
		}
	}
}

func (a *arrangement) open(i, t int) bool {
	return a.in[i]&(1<<t) == 0 && a.free[t] >= a.gangs[i].Size
}

func (a *arrangement) put(i, t int) {
	a.in[i] |= 1 << t
	a.free[t] -= a.gangs[i].Size
}

func (a *arrangement) drop(i, t int) {
	a.in[i] &^= 1 << t
	a.free[t] += a.gangs[i].Size
}

// repair finds the gang the rounds it misses by moving smaller gangs out of
// the round that has most room.
func (a *arrangement) repair(i int) {
	for a.missing(i) > 0 {
		if !a.clear(i) {
			return
		}
	}
}

// clear makes room for the gang in one round, the one with most room that can
// be cleared, and puts it there.
func (a *arrangement) clear(i int) bool {
	for _, t := range a.emptiest(i) {
		if a.free[t] == 0 {
			break
		}
		if a.empty(i, t) {
			a.put(i, t)
			return true
		}
	}
	return false
}

// empty moves gangs smaller than i from the round to others until i has room.
func (a *arrangement) empty(i, t int) bool {
	type move struct{ gang, to int }
	var moved []move
	for j := range a.gangs {
		if a.free[t] >= a.gangs[i].Size {
			return true
		}
		if j == i || a.in[j]&(1<<t) == 0 || a.gangs[j].Size >= a.gangs[i].Size {
			continue
		}
		for u := range a.free {
			if u != t && a.open(j, u) {
				a.drop(j, t)
				a.put(j, u)
				moved = append(moved, move{j, u})
				break
			}
		}
	}
	if a.free[t] >= a.gangs[i].Size {
		return true
	}
	for _, m := range moved {
		a.drop(m.gang, m.to)
		a.put(m.gang, t)
	}
	return false
}
