package choice

import (
	"cmp"
	"math"
	"slices"
)

// The dynamic programme keeps a cell for each item and each combination of units left, and
// looks at each option in each. It takes as many items as these allow; where that is not
// all, others take their turn until a few turns in a row found nothing better, or the choice
// is good enough.
const (
	mostCells          = 2 << 20
	mostWork           = 16 << 20 // where it takes all
	mostPartWork       = 2 << 20  // where it takes some
	mostTurns          = 24
	mostFutileTurns    = 4
	goodGap            = 5e-5 // of the bound
	leastPartOfMargins = .01  // of the slack: margins below are alike
)

// doubtful is an item for which prices alone do not decide.
type doubtful struct {
	item    int
	options []int   // among which a better choice may lie
	margin  float64 // by which its cheapest priced option is before the next, and chance
}

// decideDoubtful decides anew, exactly, for the items for which prices say least; the
// others keep what they have.
func (s *search) decideDoubtful() {
	for turn, futile := 0, 0; turn < mostTurns && futile < mostFutileTurns && !s.isGood(turn); turn++ {
		all := s.listDoubtful(uint64(turn))
		n := s.countAffordable(all)
		if s.covered = n == len(all); n == 0 {
			return
		}
		was := s.totalCost()
		d := newTable(s, all[:n])
		d.fill()
		d.choose()
		s.improve()
		if futile++; s.totalCost() < was-s.hair {
			futile = 0
		}
	}
}

// isGood reports whether there is nothing to gain, or after the first turn little.
func (s *search) isGood(turn int) bool {
	return s.covered || turn > 0 && s.totalCost()-s.bound <= goodGap*math.Abs(s.bound)
}

// listDoubtful lists those for which some other option costs, at the prices, no more above the
// cheapest than the choice so far costs above the bound: none else is in a better one. Those
// to decide first come first: of small margin, and of those others in each turn.
func (s *search) listDoubtful(turn uint64) []doubtful {
	var all []doubtful
	slack := s.totalCost() - s.bound + costTolerance
	alike := leastPartOfMargins * slack
	for i := range s.Items {
		least, next := s.twoLeastPriced(i)
		if next-least > slack {
			continue
		}
		margin := max(next-least, alike)
		if s.pricedCost(i, s.chosen[i])-least > alike {
			margin = 0 // it has what is not cheapest for it
		}
		d := doubtful{item: i, margin: margin * fraction(turn, uint64(i))}
		for o := range s.optionsAndNone(i) {
			if s.pricedCost(i, o)-least <= slack {
				d.options = append(d.options, o)
			}
		}
		all = append(all, d)
	}
	slices.SortStableFunc(all, func(a, b doubtful) int { return cmp.Compare(a.margin, b.margin) })
	return all
}

// twoLeastPriced are the priced costs of the item's cheapest options, none among them.
func (s *search) twoLeastPriced(i int) (least, next float64) {
	least, next = s.pricedCost(i, -1), math.Inf(1)
	for _, o := range s.kept[i] {
		switch v := s.pricedCost(i, o); {
		case v < least:
			least, next = v, least
		case v < next:
			next = v
		}
	}
	return least, next
}

// countAffordable returns how many of the doubtful items, from the first, the dynamic
// programme can take.
func (s *search) countAffordable(all []doubtful) int {
	work := float64(mostWork)
	for n := len(all); n > 0; n = n * 9 / 10 {
		cells := float64(n)
		for _, room := range s.roomFor(all[:n]) {
			cells *= float64(room + 1)
		}
		options := 0
		for _, d := range all[:n] {
			options += len(d.options)
		}
		if cells <= mostCells && cells/float64(n)*float64(options) <= work {
			return n
		}
		work = mostPartWork
	}
	return 0
}

// roomFor returns what there is of each resource for the items if they give back what they
// have, as far as they can use it.
func (s *search) roomFor(items []doubtful) []int {
	room, use := slices.Clone(s.left), make([]int, len(s.left))
	for _, d := range items {
		if o := s.chosen[d.item]; o >= 0 {
			x := &s.Items[d.item].Options[o]
			room[x.Resource] += x.Amount
		}
		most := make([]int, len(use))
		for _, o := range d.options {
			if o >= 0 {
				x := &s.Items[d.item].Options[o]
				most[x.Resource] = max(most[x.Resource], x.Amount)
			}
		}
		for t := range use {
			use[t] += most[t]
		}
	}
	for t := range room {
		room[t] = min(room[t], use[t])
	}
	return room
}

// table is the dynamic programme: best[c] is the least cost of the items so far in the room
// c, a mixed-radix number of the units of each resource; picks has, for each item and room,
// the index of its option.
type table struct {
	*search
	items      []doubtful
	strides    []int // by resource
	cells      int
	room       []int
	best, next []float64
	picks      [][]int16
}

func newTable(s *search, items []doubtful) *table {
	t := &table{search: s, items: items, room: s.roomFor(items), cells: 1}
	for _, r := range t.room {
		t.strides = append(t.strides, t.cells)
		t.cells *= r + 1
	}
	t.best, t.next = make([]float64, t.cells), make([]float64, t.cells)
	return t
}

func (t *table) fill() {
	for _, d := range t.items {
		picks := make([]int16, t.cells)
		for c := range t.next {
			t.next[c] = math.Inf(1)
		}
		for k, o := range d.options {
			t.offer(d.item, o, int16(k), picks)
		}
		t.picks = append(t.picks, picks)
		t.best, t.next = t.next, t.best
	}
}

// offer takes the option of the item wherever it is the cheapest so far.
func (t *table) offer(i, o int, k int16, picks []int16) {
	cost, takes, block := t.cost(i, o), 0, t.cells
	if o >= 0 {
		x := &t.Items[i].Options[o]
		if x.Amount > t.room[x.Resource] {
			return
		}
		takes = x.Amount * t.strides[x.Resource]
		block = (t.room[x.Resource] + 1) * t.strides[x.Resource]
	}
	for from := 0; from < t.cells; from += block {
		next, best, pick := t.next[from+takes:from+block], t.best[from:from+block-takes], picks[from+takes:from+block]
		for c, was := range best {
			if v := was + cost; v < next[c] {
				next[c], pick[c] = v, k
			}
		}
	}
}

// choose gives the items what the table found, unless that costs more than what they have.
func (t *table) choose() {
	was, found := 0.0, t.best[t.cells-1]
	for _, d := range t.items {
		was += t.cost(d.item, t.chosen[d.item])
	}
	if found >= was-costTolerance {
		return
	}
	at, picked := t.cells-1, make([]int, len(t.items))
	for n := len(t.items) - 1; n >= 0; n-- {
		d := t.items[n]
		picked[n] = d.options[t.picks[n][at]]
		if o := picked[n]; o >= 0 {
			x := &t.Items[d.item].Options[o]
			at -= x.Amount * t.strides[x.Resource]
		}
	}
	for n, d := range t.items {
		t.search.choose(d.item, picked[n])
	}
}
