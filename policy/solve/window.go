package solve

import (
	"cmp"
	"math"
	"slices"
)

// Stake is what one job wins from rounds of a window.
type Stake struct {
	Size   int     // devices it takes in a round
	Weight float64 // of the utility of its progress
	Done   float64 // share of its work done, 0..1
	Gain   float64 // share a round adds, until all is done
	Left   float64 // seconds of work left
	Cut    float64 // seconds a round takes off Left
	Least  int     // rounds it must get
	Most   int     // rounds it has a use for
}

// Window is a number of rounds to divide. Only how many rounds a job gets
// counts, not which: the value of the numbers y is
//
//	Σ Weight·U(Done + Gain·y) − Tail·max(Left − Cut·y)
//
// U is concave and grows; it is 0 when all is done.
type Window struct {
	Rounds int
	Size   int // devices in every round
	Unused int // devices times rounds that nobody gets
	Tail   float64
	U      func(share float64) float64
	Stakes []Stake
}

// Plan returns the rounds each job should get, as bits from the first round up.
// Where gangs that should get rounds do not fit beside one another, it asks
// again: without those rounds, and with as much less room, so that what is
// worth least goes instead; the best answer holds.
func (w *Window) Plan() []uint64 {
	best, lost := w.arrange(w.Stakes)
	value := w.worthOf(best)
	for _, again := range []func(*Window, []uint64, int){(*Window).forgo, (*Window).shrink} {
		v := *w
		v.Stakes = slices.Clone(w.Stakes)
		turns, gone := best, lost
		for n := 0; n < tries && gone*tolerated > w.Rounds*w.Size; n++ {
			again(&v, turns, gone)
			turns, gone = v.arrange(v.Stakes)
			if now := w.worthOf(turns); now > value {
				best, value = turns, now
			}
		}
	}
	return best
}

const (
	tries     = 4    // of each kind
	tolerated = 1000 // a loss of one in so many devices times rounds is
)

// arrange returns the rounds of every job, and how many devices times rounds
// found no place.
func (w *Window) arrange(stakes []Stake) (turns []uint64, lost int) {
	y, _ := w.Counts()
	turns = Arrange(w.gangs(y), w.Rounds, w.Size)
	for i, in := range turns {
		lost += (y[i] - got(in)) * stakes[i].Size
	}
	return turns, lost
}

// forgo lets no job have more than it got.
func (w *Window) forgo(turns []uint64, _ int) {
	y, _ := w.Counts()
	for i, in := range turns {
		if n := got(in); n < y[i] {
			w.Stakes[i].Most = n
		}
	}
}

// shrink takes off the room that was lost.
func (w *Window) shrink(_ []uint64, lost int) { w.Unused += lost }

func (w *Window) worthOf(turns []uint64) float64 {
	y := make([]int, len(turns))
	for i, in := range turns {
		y[i] = got(in)
	}
	return w.Value(y)
}

func (w *Window) gangs(y []int) []Gang {
	gangs := make([]Gang, len(y))
	for i := range y {
		gangs[i] = Gang{Size: w.Stakes[i].Size, Rounds: y[i], Weight: w.Stakes[i].Weight}
	}
	return gangs
}

// Counts returns how many rounds each job should get if only their sum has to
// fit, and how many devices times rounds are not enough for what they must get
// (then nothing counts but that: they get what there is, in their order).
//
// For a bound on the longest rest every job must get some rounds, and the
// others go, one by one, where they are worth most per device; the best bound
// is searched for, the value being concave in it but for the whole rounds.
// Where that takes no time the others go where they are worth most together.
func (w *Window) Counts() (y []int, short int) {
	d := newDivision(w)
	if d.short > 0 {
		return d.scarce(), d.short
	}
	best, value := len(d.bounds)-1, math.Inf(-1)
	cells := d.cells()
	fill := d.fill
	if cells <= everyBound {
		fill = d.exactly
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
		fill = d.exactly
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
func (w *Window) Value(y []int) float64 {
	v, longest := 0.0, 0.0
	for i := range w.Stakes {
		s := &w.Stakes[i]
		v += w.worth(s, y[i])
		longest = max(longest, s.left(y[i]))
	}
	return v - w.Tail*longest
}

func (w *Window) worth(s *Stake, y int) float64 {
	return s.Weight * w.U(min(s.Done+s.Gain*float64(y), 1))
}

// left is what is left after y rounds; those it has no use for take nothing
// off.
func (s *Stake) left(y int) float64 { return max(s.Left-s.Cut*float64(y), 0) }

// unit is one more round for one job.
type unit struct {
	job   int32
	nth   int32
	worth float64 // per device
}

// division is the work space of Counts.
type division struct {
	*Window
	room   int
	short  int
	least  []int // y may not be less
	y      []int
	units  []unit    // by worth, the units of a job in their order
	bounds []float64 // on the longest rest, ascending: those that make a difference

	table     []uint8 // of exactly: rounds by job and room
	row, next []float64
}

func newDivision(w *Window) *division {
	n := len(w.Stakes)
	d := &division{Window: w, room: max(w.Rounds*w.Size-w.Unused, 0), least: make([]int, n), y: make([]int, n)}
	units := 0
	for i := range w.Stakes {
		s := &w.Stakes[i]
		d.least[i] = min(max(s.Least, 0), w.most(s))
		d.short += d.least[i] * s.Size
		units += w.most(s)
	}
	if d.short = max(d.short-d.room, 0); d.short > 0 {
		return d
	}
	d.units = make([]unit, 0, units)
	for i := range w.Stakes {
		d.offer(i)
	}
	slices.SortFunc(d.units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.job, b.job), cmp.Compare(a.nth, b.nth))
	})
	d.bound()
	return d
}

// most is how many rounds the job can get.
func (w *Window) most(s *Stake) int {
	if s.Size > w.Size {
		return 0
	}
	return min(max(s.Most, 0), w.Rounds)
}

// offer adds the units of a job.
func (d *division) offer(i int) {
	s := &d.Stakes[i]
	before, worth := d.worth(s, d.least[i]), math.Inf(1)
	for nth := d.least[i] + 1; nth <= d.most(s); nth++ {
		after := d.worth(s, nth)
		worth = min(worth, (after-before)/float64(max(s.Size, 1))) // rounding must not disturb their order
		d.units = append(d.units, unit{int32(i), int32(nth), worth})
		before = after
	}
}

// scarce gives what must be given, in order, while it lasts.
func (d *division) scarce() []int {
	room := d.room
	for i := range d.Stakes {
		if size := d.Stakes[i].Size; size > 0 {
			d.y[i] = min(d.least[i], room/size)
			room -= d.y[i] * size
		} else {
			d.y[i] = d.least[i]
		}
	}
	return d.y
}
