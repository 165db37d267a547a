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

// ArrangeGangs says which rounds of a window each gang gets, as bits from the first
// round up (at most 64). First it makes them fit: the widest and longest gangs
// before the others, each into the emptiest rounds; what finds no room even so
// is left out. Then gangs change places until the sum of Weight times mean
// round gets no smaller that way.
func ArrangeGangs(gangs []Gang, rounds, size int) []uint64 {
	a := gangArrangement{gangs: gangs, freeDevices: make([]int, min(rounds, 64)), roundsOfGang: make([]uint64, len(gangs)), laterRoundCosts: make([]float64, len(gangs))}
	for t := range a.freeDevices {
		a.freeDevices[t] = size
	}
	order := make([]int, 0, len(gangs))
	for i, g := range gangs {
		if g.Rounds > 0 && g.Size <= size {
			order = append(order, i)
			a.laterRoundCosts[i] = g.Weight / float64(g.Rounds)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(gangs[j].Size, gangs[i].Size), cmp.Compare(gangs[j].Rounds, gangs[i].Rounds),
			cmp.Compare(a.laterRoundCosts[j], a.laterRoundCosts[i]), cmp.Compare(i, j))
	})
	for _, i := range order {
		a.placeGang(i)
	}
	a.sortGangsByCost(order)
	for n := 0; n < maxSwapPasses && a.swapAllRounds(); n++ {
	}
	return a.roundsOfGang
}

// maxSwapPasses is how many passes over all pairs of rounds are enough in practice.
const maxSwapPasses = 8

type gangArrangement struct {
	gangs           []Gang
	freeDevices     []int // by round
	roundsOfGang    []uint64
	laterRoundCosts []float64 // of each gang: what a later round costs
	gangsByCost     []int     // gangs by cost per device, the dearest first
	earlyGangs      []int     // see swapRounds
	lateGangs       []int
	movedGangs      []int
}

// sortGangsByCost sorts the gangs by what a later round costs per device.
func (a *gangArrangement) sortGangsByCost(order []int) {
	a.gangsByCost = order
	slices.SortFunc(a.gangsByCost, func(i, j int) int {
		return cmp.Or(cmp.Compare(a.costPerDevice(j), a.costPerDevice(i)), cmp.Compare(i, j))
	})
}

func (a *gangArrangement) costPerDevice(i int) float64 {
	return a.laterRoundCosts[i] / float64(max(a.gangs[i].Size, 1))
}

// placeGang gives the gang the rounds with most room.
func (a *gangArrangement) placeGang(i int) {
	order := make([]int, len(a.freeDevices))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(s, t int) int { return cmp.Compare(a.freeDevices[t], a.freeDevices[s]) })
	for _, t := range order[:min(a.gangs[i].Rounds, len(order))] {
		if a.freeDevices[t] >= a.gangs[i].Size {
			a.roundsOfGang[i] |= 1 << t
			a.freeDevices[t] -= a.gangs[i].Size
		}
	}
}

// swapAllRounds lets gangs of every two rounds change places. It reports whether any
// did.
func (a *gangArrangement) swapAllRounds() bool {
	changed := false
	for t := range a.freeDevices {
		for u := t + 1; u < len(a.freeDevices); u++ {
			if a.swapRounds(t, u) {
				changed = true
			}
		}
	}
	return changed
}

// swapRounds lets gangs of the later round u that are not in t go there, the dearest
// per device first, in place of cheaper ones of t that are not in u.
func (a *gangArrangement) swapRounds(t, u int) bool {
	a.earlyGangs, a.lateGangs = a.earlyGangs[:0], a.lateGangs[:0]
	for _, i := range a.gangsByCost {
		switch a.roundsOfGang[i] & (1<<t | 1<<u) {
		case 1 << t:
			a.earlyGangs = append(a.earlyGangs, i)
		case 1 << u:
			a.lateGangs = append(a.lateGangs, i)
		}
	}
	changed := false
	for _, i := range a.lateGangs {
		if n := len(a.earlyGangs); a.freeDevices[t] < a.gangs[i].Size && (n == 0 || a.costPerDevice(a.earlyGangs[n-1]) >= a.costPerDevice(i)) {
			break // and those behind are no dearer
		}
		if a.moveGangEarlier(i, t, u) {
			changed = true
		}
	}
	for _, j := range slices.Backward(a.earlyGangs) {
		if a.moveGangLater(j, t, u) {
			changed = true
		}
	}
	return changed
}

// moveGangLater moves a wide gang from t to u, and out of u to t the dearest narrower
// ones it makes room for, if they cost more than it does.
func (a *gangArrangement) moveGangLater(j, t, u int) bool {
	room, back, cost := a.freeDevices[t]+a.gangs[j].Size, a.freeDevices[u], a.laterRoundCosts[j]
	a.movedGangs = a.movedGangs[:0]
	for _, i := range a.lateGangs {
		if a.costPerDevice(i) <= a.costPerDevice(j) {
			break
		}
		if a.roundsOfGang[i]&(1<<t) == 0 && a.gangs[i].Size < a.gangs[j].Size && a.gangs[i].Size <= room {
			room -= a.gangs[i].Size
			back += a.gangs[i].Size
			cost -= a.laterRoundCosts[i]
			a.movedGangs = append(a.movedGangs, i)
		}
	}
	if cost >= 0 || back < a.gangs[j].Size {
		return false
	}
	a.moveGang(j, t, u)
	for _, i := range a.movedGangs {
		a.moveGang(i, u, t)
	}
	return true
}

// moveGangEarlier moves the gang from u to t, and out of t to u the cheapest gangs it
// takes, if they cost less than it does.
func (a *gangArrangement) moveGangEarlier(i, t, u int) bool {
	room, back := a.freeDevices[t], a.freeDevices[u]+a.gangs[i].Size
	cost := a.laterRoundCosts[i]
	first := len(a.earlyGangs)
	for first > 0 && room < a.gangs[i].Size && cost > 0 {
		first--
		j := a.earlyGangs[first]
		room += a.gangs[j].Size
		back -= a.gangs[j].Size
		cost -= a.laterRoundCosts[j]
	}
	if room < a.gangs[i].Size || back < 0 || cost <= 0 {
		return a.swapWithSameSize(i, t, u)
	}
	for _, j := range a.earlyGangs[first:] {
		a.moveGang(j, t, u)
	}
	a.earlyGangs = a.earlyGangs[:first]
	a.moveGang(i, u, t)
	return true
}

// swapWithSameSize moves the gang to t in place of one that is as wide and cheaper.
func (a *gangArrangement) swapWithSameSize(i, t, u int) bool {
	for n := len(a.earlyGangs) - 1; n >= 0 && a.costPerDevice(a.earlyGangs[n]) < a.costPerDevice(i); n-- {
		if j := a.earlyGangs[n]; a.gangs[j].Size == a.gangs[i].Size {
			a.moveGang(j, t, u)
			a.earlyGangs = slices.Delete(a.earlyGangs, n, n+1)
			a.moveGang(i, u, t)
			return true
		}
	}
	return false
}

func (a *gangArrangement) moveGang(i, from, to int) {
	a.roundsOfGang[i] ^= 1<<from | 1<<to
	a.freeDevices[from] += a.gangs[i].Size
	a.freeDevices[to] -= a.gangs[i].Size
}

// countRoundBits returns how many rounds a set of them is.
func countRoundBits(rounds uint64) int { return bits.OnesCount64(rounds) }
