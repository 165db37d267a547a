package knapsack

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
// round up (at most 64). First it makes them fit: the widest and longest gangs
// before the others, each into the emptiest rounds; what finds no room even so
// is left out. Then gangs change places until the sum of Weight times mean
// round gets no smaller that way.
func Arrange(gangs []Gang, rounds, size int) []uint64 {
	a := arrangement{gangs: gangs, free: make([]int, min(rounds, 64)), roundsOfGang: make([]uint64, len(gangs)), cost: make([]float64, len(gangs))}
	for t := range a.free {
		a.free[t] = size
	}
	order := make([]int, 0, len(gangs))
	for i, g := range gangs {
		if g.Rounds > 0 && g.Size <= size {
			order = append(order, i)
			a.cost[i] = g.Weight / float64(g.Rounds)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(gangs[j].Size, gangs[i].Size), cmp.Compare(gangs[j].Rounds, gangs[i].Rounds),
			cmp.Compare(a.cost[j], a.cost[i]), cmp.Compare(i, j))
	})
	for _, i := range order {
		a.placeEvenly(i)
	}
	a.sortByCost(order)
	for n := 0; n < swapPasses && a.swapAll(); n++ {
	}
	return a.roundsOfGang
}

// swapPasses over all pairs of rounds are enough in practice.
const swapPasses = 8

type arrangement struct {
	gangs        []Gang
	free         []int // by round
	roundsOfGang []uint64
	cost         []float64 // of a later round
	byCost       []int     // gangs by cost per device, the dearest first
	earlyGangs   []int     // see swapRounds
	lateGangs    []int
	moved        []int
}

// sortByCost sorts the gangs by what a later round costs per device.
func (a *arrangement) sortByCost(order []int) {
	a.byCost = order
	slices.SortFunc(a.byCost, func(i, j int) int {
		return cmp.Or(cmp.Compare(a.costPerDevice(j), a.costPerDevice(i)), cmp.Compare(i, j))
	})
}

func (a *arrangement) costPerDevice(i int) float64 {
	return a.cost[i] / float64(max(a.gangs[i].Size, 1))
}

// placeEvenly gives the gang the rounds with most room.
func (a *arrangement) placeEvenly(i int) {
	order := make([]int, len(a.free))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(s, t int) int { return cmp.Compare(a.free[t], a.free[s]) })
	for _, t := range order[:min(a.gangs[i].Rounds, len(order))] {
		if a.free[t] >= a.gangs[i].Size {
			a.roundsOfGang[i] |= 1 << t
			a.free[t] -= a.gangs[i].Size
		}
	}
}

// swapAll lets gangs of every two rounds change places. It reports whether any
// did.
func (a *arrangement) swapAll() bool {
	changed := false
	for t := range a.free {
		for u := t + 1; u < len(a.free); u++ {
			if a.swapRounds(t, u) {
				changed = true
			}
		}
	}
	return changed
}

// swapRounds lets gangs of the later round u that are not in t go there, the dearest
// per device first, in place of cheaper ones of t that are not in u.
func (a *arrangement) swapRounds(t, u int) bool {
	a.earlyGangs, a.lateGangs = a.earlyGangs[:0], a.lateGangs[:0]
	for _, i := range a.byCost {
		switch a.roundsOfGang[i] & (1<<t | 1<<u) {
		case 1 << t:
			a.earlyGangs = append(a.earlyGangs, i)
		case 1 << u:
			a.lateGangs = append(a.lateGangs, i)
		}
	}
	changed := false
	for _, i := range a.lateGangs {
		if n := len(a.earlyGangs); a.free[t] < a.gangs[i].Size && (n == 0 || a.costPerDevice(a.earlyGangs[n-1]) >= a.costPerDevice(i)) {
			break // and those behind are no dearer
		}
		if a.moveEarlier(i, t, u) {
			changed = true
		}
	}
	for _, j := range slices.Backward(a.earlyGangs) {
		if a.moveLater(j, t, u) {
			changed = true
		}
	}
	return changed
}

// moveLater moves a wide gang from t to u, and out of u to t the dearest narrower
// ones it makes room for, if they cost more than it does.
func (a *arrangement) moveLater(j, t, u int) bool {
	room, back, cost := a.free[t]+a.gangs[j].Size, a.free[u], a.cost[j]
	a.moved = a.moved[:0]
	for _, i := range a.lateGangs {
		if a.costPerDevice(i) <= a.costPerDevice(j) {
			break
		}
		if a.roundsOfGang[i]&(1<<t) == 0 && a.gangs[i].Size < a.gangs[j].Size && a.gangs[i].Size <= room {
			room -= a.gangs[i].Size
			back += a.gangs[i].Size
			cost -= a.cost[i]
			a.moved = append(a.moved, i)
		}
	}
	if cost >= 0 || back < a.gangs[j].Size {
		return false
	}
	a.move(j, t, u)
	for _, i := range a.moved {
		a.move(i, u, t)
	}
	return true
}

// moveEarlier moves the gang from u to t, and out of t to u the cheapest gangs it
// takes, if they cost less than it does.
func (a *arrangement) moveEarlier(i, t, u int) bool {
	room, back := a.free[t], a.free[u]+a.gangs[i].Size
	cost := a.cost[i]
	first := len(a.earlyGangs)
	for first > 0 && room < a.gangs[i].Size && cost > 0 {
		first--
		j := a.earlyGangs[first]
		room += a.gangs[j].Size
		back -= a.gangs[j].Size
		cost -= a.cost[j]
	}
	if room < a.gangs[i].Size || back < 0 || cost <= 0 {
		return a.swapSameSize(i, t, u)
	}
	for _, j := range a.earlyGangs[first:] {
		a.move(j, t, u)
	}
	a.earlyGangs = a.earlyGangs[:first]
	a.move(i, u, t)
	return true
}

// swapSameSize moves the gang to t in place of one that is as wide and cheaper.
func (a *arrangement) swapSameSize(i, t, u int) bool {
	for n := len(a.earlyGangs) - 1; n >= 0 && a.costPerDevice(a.earlyGangs[n]) < a.costPerDevice(i); n-- {
		if j := a.earlyGangs[n]; a.gangs[j].Size == a.gangs[i].Size {
			a.move(j, t, u)
			a.earlyGangs = slices.Delete(a.earlyGangs, n, n+1)
			a.move(i, u, t)
			return true
		}
	}
	return false
}

func (a *arrangement) move(i, from, to int) {
	a.roundsOfGang[i] ^= 1<<from | 1<<to
	a.free[from] += a.gangs[i].Size
	a.free[to] -= a.gangs[i].Size
}

// countRounds returns how many rounds a set of them is.
func countRounds(rounds uint64) int { return bits.OnesCount64(rounds) }
