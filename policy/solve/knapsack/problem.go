package knapsack

import (
	"cmp"
	"math"
	"slices"
)

// Item is what one party wins from rounds.
type Item struct {
	DevicesPerRound    int     // devices it takes in a round
	Weight             float64 // of the utility of its progress
	DoneShare          float64 // share of its work done, 0..1
	GainPerRound       float64 // share a round adds, until all is done
	SecondsLeft        float64 // seconds of work left
	SecondsCutPerRound float64 // seconds a round takes off SecondsLeft
	MinRounds          int     // rounds it must get
	MaxRounds          int     // rounds it has a use for
}

// Problem is a number of rounds to divide. Only how many rounds an item gets
// counts, not which: the value of the numbers y is
//
//	Σ Weight·Utility(DoneShare + GainPerRound·y) − LongestRestCost·max(SecondsLeft − SecondsCutPerRound·y)
//
// Utility is concave and grows; it is 0 when all is done.
type Problem struct {
	Rounds          int
	Capacity        int // devices in every round
	UnusedCapacity  int // devices times rounds that no item gets
	LongestRestCost float64
	Utility         func(share float64) float64
	Items           []Item
}

// PlanRounds returns the rounds each item should get, as bits from the first round up.
// Where gangs that should get rounds do not fit beside one another, it asks
// again: without those rounds, and with as much less room, so that what is
// worth least goes instead; the best answer holds.
func (w *Problem) PlanRounds() []uint64 {
	best, lost := w.arrangeItems(w.Items)
	value := w.valueOfRoundBits(best)
	for _, again := range []func(*Problem, []uint64, int){(*Problem).capRoundsAtReceived, (*Problem).reduceCapacity} {
		v := *w
		v.Items = slices.Clone(w.Items)
		turns, gone := best, lost
		for n := 0; n < maxRepairTries && gone*toleratedLossDivisor > w.Rounds*w.Capacity; n++ {
			again(&v, turns, gone)
			turns, gone = v.arrangeItems(v.Items)
			if now := w.valueOfRoundBits(turns); now > value {
				best, value = turns, now
			}
		}
	}
	return best
}

const (
	maxRepairTries       = 4    // each, without rounds that do not fit and with less room
	toleratedLossDivisor = 1000 // a loss of one in so many devices times rounds is no reason to try again
)

// arrangeItems returns the rounds of every item, and how many devices times rounds
// found no place.
func (w *Problem) arrangeItems(items []Item) (turns []uint64, lost int) {
	y, _ := w.CountRounds()
	turns = ArrangeGangs(w.newGangs(y), w.Rounds, w.Capacity)
	for i, in := range turns {
		lost += (y[i] - countRoundBits(in)) * items[i].DevicesPerRound
	}
	return turns, lost
}

// capRoundsAtReceived lets no item have more than it got.
func (w *Problem) capRoundsAtReceived(turns []uint64, _ int) {
	y, _ := w.CountRounds()
	for i, in := range turns {
		if n := countRoundBits(in); n < y[i] {
			w.Items[i].MaxRounds = n
		}
	}
}

// reduceCapacity takes off the room that was lost.
func (w *Problem) reduceCapacity(_ []uint64, lost int) { w.UnusedCapacity += lost }

func (w *Problem) valueOfRoundBits(turns []uint64) float64 {
	y := make([]int, len(turns))
	for i, in := range turns {
		y[i] = countRoundBits(in)
	}
	return w.Value(y)
}

func (w *Problem) newGangs(y []int) []Gang {
	gangs := make([]Gang, len(y))
	for i := range y {
		gangs[i] = Gang{Size: w.Items[i].DevicesPerRound, Rounds: y[i], Weight: w.Items[i].Weight}
	}
	return gangs
}

// CountRounds returns how many rounds each item should get if only their sum has to
// fit, and how many devices times rounds are not enough for what they must get
// (then nothing counts but that: they get what there is, in their order).
//
// For a bound on the longest rest every item must get some rounds, and the
// others go, one by one, where they are worth most per device; the best bound
// is searched for, the value being concave in it but for the whole rounds.
// Where that takes no time the others go where they are worth most together.
func (w *Problem) CountRounds() (y []int, short int) {
	d := newRoundCounter(w)
	if d.missingRoom > 0 {
		return d.giveMinRoundsInOrder(), d.missingRoom
	}
	best, value := len(d.restBounds)-1, math.Inf(-1)
	cells := d.countKnapsackCells()
	fill := d.fillGreedily
	if cells <= maxCellsForEveryBound {
		fill = d.fillByKnapsack
	}
	try := func(i int) float64 {
		v := fill(d.restBounds[i])
		if v > value || v == value && i < best {
			best, value = i, v
		}
		return v
	}
	lo, hi := 0, len(d.restBounds)-1
	for hi-lo > maxBoundsTriedSingly {
		third := (hi - lo) / 3
		a, b := try(lo+third), try(hi-third)
		if a < b {
			lo += third
		} else {
			hi -= third
		}
	}
	for i := lo; i <= hi; i++ {
		try(i)
	}
	if cells <= maxCellsForOneBound {
		fill = d.fillByKnapsack
	}
	fill(d.restBounds[best])
	return d.roundCounts, 0
}

const (
	maxBoundsTriedSingly  = 24      // so many bounds are tried one by one
	maxCellsForEveryBound = 1 << 14 // a knapsack of so many cells is filled for every bound tried
	maxCellsForOneBound   = 1 << 22 // and one of so many for the best bound
)

// Value returns what the numbers of rounds are worth.
func (w *Problem) Value(y []int) float64 {
	v, longest := 0.0, 0.0
	for i := range w.Items {
		s := &w.Items[i]
		v += w.itemUtility(s, y[i])
		longest = max(longest, s.secondsLeftAfter(y[i]))
	}
	return v - w.LongestRestCost*longest
}

func (w *Problem) itemUtility(s *Item, y int) float64 {
	return s.Weight * w.Utility(min(s.DoneShare+s.GainPerRound*float64(y), 1))
}

// secondsLeftAfter is what is left after y rounds; those it has no use for take nothing
// off.
func (s *Item) secondsLeftAfter(y int) float64 {
	return max(s.SecondsLeft-s.SecondsCutPerRound*float64(y), 0)
}

// itemRound is one more round for one item.
type itemRound struct {
	itemIndex      int32
	roundNumber    int32
	worthPerDevice float64
}

// roundCounter is the work space of CountRounds.
type roundCounter struct {
	*Problem
	totalRoom   int
	missingRoom int
	minRounds   []int // the least that the counts may be
	roundCounts []int
	itemRounds  []itemRound // by worth, those of an item in their order
	restBounds  []float64   // on the longest rest, ascending: those that make a difference

	roundsTable            []uint8 // of fillByKnapsack: rounds by item and room
	bestValues, nextValues []float64
}

func newRoundCounter(w *Problem) *roundCounter {
	n := len(w.Items)
	d := &roundCounter{Problem: w, totalRoom: max(w.Rounds*w.Capacity-w.UnusedCapacity, 0), minRounds: make([]int, n), roundCounts: make([]int, n)}
	units := 0
	for i := range w.Items {
		s := &w.Items[i]
		d.minRounds[i] = min(max(s.MinRounds, 0), w.maxRoundsOf(s))
		d.missingRoom += d.minRounds[i] * s.DevicesPerRound
		units += w.maxRoundsOf(s)
	}
	if d.missingRoom = max(d.missingRoom-d.totalRoom, 0); d.missingRoom > 0 {
		return d
	}
	d.itemRounds = make([]itemRound, 0, units)
	for i := range w.Items {
		d.addItemRounds(i)
	}
	slices.SortFunc(d.itemRounds, func(a, b itemRound) int {
		return cmp.Or(cmp.Compare(b.worthPerDevice, a.worthPerDevice), cmp.Compare(a.itemIndex, b.itemIndex), cmp.Compare(a.roundNumber, b.roundNumber))
	})
	d.listRestBounds()
	return d
}

// maxRoundsOf is how many rounds the item can get.
func (w *Problem) maxRoundsOf(s *Item) int {
	if s.DevicesPerRound > w.Capacity {
		return 0
	}
	return min(max(s.MaxRounds, 0), w.Rounds)
}

// addItemRounds adds the rounds an item may get beyond its least.
func (d *roundCounter) addItemRounds(i int) {
	s := &d.Items[i]
	before, worth := d.itemUtility(s, d.minRounds[i]), math.Inf(1)
	for nth := d.minRounds[i] + 1; nth <= d.maxRoundsOf(s); nth++ {
		after := d.itemUtility(s, nth)
		worth = min(worth, (after-before)/float64(max(s.DevicesPerRound, 1))) // rounding must not disturb their order
		d.itemRounds = append(d.itemRounds, itemRound{int32(i), int32(nth), worth})
		before = after
	}
}

// giveMinRoundsInOrder gives what must be given, in order, while it lasts.
func (d *roundCounter) giveMinRoundsInOrder() []int {
	room := d.totalRoom
	for i := range d.Items {
		if size := d.Items[i].DevicesPerRound; size > 0 {
			d.roundCounts[i] = min(d.minRounds[i], room/size)
			room -= d.roundCounts[i] * size
		} else {
			d.roundCounts[i] = d.minRounds[i]
		}
	}
	return d.roundCounts
}

// countKnapsackCells counts the cells that are the work of fillByKnapsack.
func (d *roundCounter) countKnapsackCells() int {
	n := 0
	for i := range d.Items {
		n += (d.maxRoundsOf(&d.Items[i]) + 1) * (d.totalRoom + 1)
	}
	return n
}

// fillByKnapsack is fillGreedily without the greed: gangs are of several sizes, so that the
// rounds worth most per device may leave room that nothing fits in. It is a
// knapsack, by dynamic programming over items and room.
func (d *roundCounter) fillByKnapsack(bound float64) float64 {
	n, width := len(d.Items), d.totalRoom+1
	if len(d.roundsTable) == 0 {
		d.roundsTable, d.bestValues, d.nextValues = make([]uint8, n*width), make([]float64, width), make([]float64, width)
	}
	clear(d.bestValues)
	for i := range d.Items {
		d.addKnapsackItem(i, d.requiredRounds(i, bound), d.roundsTable[i*width:(i+1)*width])
		d.bestValues, d.nextValues = d.nextValues, d.bestValues
	}
	if math.IsInf(d.bestValues[d.totalRoom], -1) {
		return math.Inf(-1)
	}
	for i, room := n-1, d.totalRoom; i >= 0; i-- {
		d.roundCounts[i] = int(d.roundsTable[i*width+room])
		room -= d.roundCounts[i] * d.Items[i].DevicesPerRound
	}
	return d.Value(d.roundCounts)
}

// addKnapsackItem turns the best values of the items before i, by room, into those with i,
// and notes the rounds i gets. The fewest of equal worth are taken.
func (d *roundCounter) addKnapsackItem(i, least int, gets []uint8) {
	s := &d.Items[i]
	for room := range d.nextValues {
		d.nextValues[room], gets[room] = math.Inf(-1), 0
	}
	for y := least; y <= d.maxRoundsOf(s); y++ {
		worth, takes := d.itemUtility(s, y), y*s.DevicesPerRound
		if takes >= len(d.nextValues) {
			break
		}
		next := d.nextValues[takes:] // by the room that is left without the rounds
		before, got := d.bestValues[:len(next)], gets[takes:][:len(next)]
		for room, best := range next {
			if v := before[room] + worth; v > best {
				next[room], got[room] = v, uint8(y)
			}
		}
	}
}
