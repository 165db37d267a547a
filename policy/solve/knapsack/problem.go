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

// Plan returns the rounds each item should get, as bits from the first round up.
// Where gangs that should get rounds do not fit beside one another, it asks
// again: without those rounds, and with as much less room, so that what is
// worth least goes instead; the best answer holds.
func (w *Problem) Plan() []uint64 {
	best, lost := w.arrange(w.Items)
	value := w.valueOf(best)
	for _, again := range []func(*Problem, []uint64, int){(*Problem).capAtReceived, (*Problem).reduceCapacity} {
		v := *w
		v.Items = slices.Clone(w.Items)
		turns, gone := best, lost
		for n := 0; n < maxTriesOfEachKind && gone*toleratedLossFraction > w.Rounds*w.Capacity; n++ {
			again(&v, turns, gone)
			turns, gone = v.arrange(v.Items)
			if now := w.valueOf(turns); now > value {
				best, value = turns, now
			}
		}
	}
	return best
}

const (
	maxTriesOfEachKind    = 4    // of each kind
	toleratedLossFraction = 1000 // a loss of one in so many devices times rounds is
)

// arrange returns the rounds of every item, and how many devices times rounds
// found no place.
func (w *Problem) arrange(items []Item) (turns []uint64, lost int) {
	y, _ := w.CountRounds()
	turns = Arrange(w.gangsOf(y), w.Rounds, w.Capacity)
	for i, in := range turns {
		lost += (y[i] - countRounds(in)) * items[i].DevicesPerRound
	}
	return turns, lost
}

// capAtReceived lets no item have more than it got.
func (w *Problem) capAtReceived(turns []uint64, _ int) {
	y, _ := w.CountRounds()
	for i, in := range turns {
		if n := countRounds(in); n < y[i] {
			w.Items[i].MaxRounds = n
		}
	}
}

// reduceCapacity takes off the room that was lost.
func (w *Problem) reduceCapacity(_ []uint64, lost int) { w.UnusedCapacity += lost }

func (w *Problem) valueOf(turns []uint64) float64 {
	y := make([]int, len(turns))
	for i, in := range turns {
		y[i] = countRounds(in)
	}
	return w.Value(y)
}

func (w *Problem) gangsOf(y []int) []Gang {
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
	d := newCounting(w)
	if d.short > 0 {
		return d.serveInOrder(), d.short
	}
	best, value := len(d.bounds)-1, math.Inf(-1)
	cells := d.knapsackCells()
	fill := d.fill
	if cells <= everyBound {
		fill = d.fillExactly
	}
	try := func(i int) float64 {
		v := fill(d.bounds[i])
		if v > value || v == value && i < best {
			best, value = i, v
		}
		return v
	}
	lo, hi := 0, len(d.bounds)-1
	for hi-lo > searchAll {
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
	if cells <= oneBound {
		fill = d.fillExactly
	}
	fill(d.bounds[best])
	return d.y, 0
}

const (
	searchAll  = 24      // bounds are tried one by one
	everyBound = 1 << 14 // cells of a knapsack are filled for every bound tried
	oneBound   = 1 << 22 // and for the best one
)

// Value returns what the numbers of rounds are worth.
func (w *Problem) Value(y []int) float64 {
	v, longest := 0.0, 0.0
	for i := range w.Items {
		s := &w.Items[i]
		v += w.utilityOf(s, y[i])
		longest = max(longest, s.remaining(y[i]))
	}
	return v - w.LongestRestCost*longest
}

func (w *Problem) utilityOf(s *Item, y int) float64 {
	return s.Weight * w.Utility(min(s.DoneShare+s.GainPerRound*float64(y), 1))
}

// remaining is what is left after y rounds; those it has no use for take nothing
// off.
func (s *Item) remaining(y int) float64 { return max(s.SecondsLeft-s.SecondsCutPerRound*float64(y), 0) }

// itemRound is one more round for one item.
type itemRound struct {
	item           int32
	roundNumber    int32
	worthPerDevice float64 // per device
}

// roundCounting is the work space of CountRounds.
type roundCounting struct {
	*Problem
	room   int
	short  int
	least  []int // y may not be less
	y      []int
	units  []itemRound // by worth, the units of an item in their order
	bounds []float64   // on the longest rest, ascending: those that make a difference

	table     []uint8 // of fillExactly: rounds by job and room
	row, next []float64
}

func newCounting(w *Problem) *roundCounting {
	n := len(w.Items)
	d := &roundCounting{Problem: w, room: max(w.Rounds*w.Capacity-w.UnusedCapacity, 0), least: make([]int, n), y: make([]int, n)}
	units := 0
	for i := range w.Items {
		s := &w.Items[i]
		d.least[i] = min(max(s.MinRounds, 0), w.mostRounds(s))
		d.short += d.least[i] * s.DevicesPerRound
		units += w.mostRounds(s)
	}
	if d.short = max(d.short-d.room, 0); d.short > 0 {
		return d
	}
	d.units = make([]itemRound, 0, units)
	for i := range w.Items {
		d.addUnits(i)
	}
	slices.SortFunc(d.units, func(a, b itemRound) int {
		return cmp.Or(cmp.Compare(b.worthPerDevice, a.worthPerDevice), cmp.Compare(a.item, b.item), cmp.Compare(a.roundNumber, b.roundNumber))
	})
	d.listBounds()
	return d
}

// mostRounds is how many rounds the item can get.
func (w *Problem) mostRounds(s *Item) int {
	if s.DevicesPerRound > w.Capacity {
		return 0
	}
	return min(max(s.MaxRounds, 0), w.Rounds)
}

// addUnits adds the units of an item.
func (d *roundCounting) addUnits(i int) {
	s := &d.Items[i]
	before, worth := d.utilityOf(s, d.least[i]), math.Inf(1)
	for nth := d.least[i] + 1; nth <= d.mostRounds(s); nth++ {
		after := d.utilityOf(s, nth)
		worth = min(worth, (after-before)/float64(max(s.DevicesPerRound, 1))) // rounding must not disturb their order
		d.units = append(d.units, itemRound{int32(i), int32(nth), worth})
		before = after
	}
}

// serveInOrder gives what must be given, in order, while it lasts.
func (d *roundCounting) serveInOrder() []int {
	room := d.room
	for i := range d.Items {
		if size := d.Items[i].DevicesPerRound; size > 0 {
			d.y[i] = min(d.least[i], room/size)
			room -= d.y[i] * size
		} else {
			d.y[i] = d.least[i]
		}
	}
	return d.y
}
