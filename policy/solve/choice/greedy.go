package choice

import (
	"container/heap"
	"iter"
	"math"
	"slices"
)

// repair changes choices until no capacity is exceeded: each time the one that costs least
// for each unit it gives back, of equal ones that of the first item. Without the prices: what
// another resource has left is free.
func (s *search) repair() {
	var queue reliefs
	for most, known := s.greatestAmount(), []int(nil); s.overload() > 0; {
		if now := s.leftWithin(most); !slices.Equal(known, now) { // no other change is worth another sum than before
			known, queue = now, s.listReliefs(queue[:0])
		}
		first := &queue[0]
		s.choose(first.item, first.option) // giving an item none always relieves
		*first = s.cheapestRelief(first.item)
		heap.Fix(&queue, 0)
	}
}

// relief is the change of an item that relieves most cheaply; infinitely dear: none does.
type relief struct {
	item, option int
	cost         float64 // for each unit that it gives back
}

// reliefs is a heap of them, the cheapest first.
type reliefs []relief

func (q reliefs) Len() int      { return len(q) }
func (q reliefs) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q reliefs) Less(i, j int) bool {
	return q[i].cost < q[j].cost || q[i].cost == q[j].cost && q[i].item < q[j].item
}
func (q *reliefs) Push(x any) { *q = append(*q, x.(relief)) }
func (q *reliefs) Pop() any   { panic("a change is replaced by the next of its item") }

// listReliefs makes the heap of all items that can relieve.
func (s *search) listReliefs(queue reliefs) reliefs {
	for i := range s.chosen {
		if r := s.cheapestRelief(i); !math.IsInf(r.cost, 1) {
			queue = append(queue, r)
		}
	}
	heap.Init(&queue)
	return queue
}

func (s *search) cheapestRelief(i int) relief {
	was, r := s.chosen[i], relief{i, -1, math.Inf(1)}
	if was < 0 || s.left[s.Items[i].Options[was].Resource] >= 0 {
		return r
	}
	for o := range s.optionsAndNone(i) {
		if units := s.relief(i, o); units > 0 {
			if v := (s.cost(i, o) - s.cost(i, was)) / float64(units); v < r.cost {
				r.option, r.cost = o, v
			}
		}
	}
	return r
}

// greatestAmount is the most that an option takes.
func (s *search) greatestAmount() int {
	most := 0
	for i := range s.Items {
		for _, x := range s.Items[i].Options {
			most = max(most, x.Amount)
		}
	}
	return most
}

// leftWithin is what is left of each resource, as far as an option may change whether it suffices.
func (s *search) leftWithin(most int) []int {
	left := slices.Clone(s.left)
	for t := range left {
		left[t] = min(max(left[t], -most), most)
	}
	return left
}

// overload is how many units are taken that are not there.
func (s *search) overload() int {
	n := 0
	for _, l := range s.left {
		n -= min(l, 0)
	}
	return n
}

// relief is by how much another option lowers the overload.
func (s *search) relief(i, o int) int {
	was, before := s.chosen[i], s.overload()
	s.add(i, was, 1)
	s.add(i, o, -1)
	after := s.overload()
	s.add(i, o, 1)
	s.add(i, was, -1)
	return before - after
}

// optionsAndNone lists the options of an item worth looking at, and -1.
func (s *search) optionsAndNone(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, o := range s.kept[i] {
			if !yield(o) {
				return
			}
		}
		yield(-1)
	}
}

// improve gives items options that lower the cost, one after another as long as there is room:
// each time the one that lowers it most for each unit it takes more.
func (s *search) improve() {
	for {
		item, option, most := -1, -1, 0.0
		for i, was := range s.chosen {
			for _, o := range s.kept[i] {
				if v := s.cost(i, was) - s.cost(i, o); v > costTolerance && s.fits(i, o) {
					if v /= float64(max(s.amount(i, o)-s.amount(i, was), 0)); v > most {
						item, option, most = i, o, v
					}
				}
			}
		}
		if item < 0 {
			return
		}
		s.choose(item, option)
	}
}

// amount is what an item's option takes of its resource.
func (s *search) amount(i, o int) int {
	if o < 0 {
		return 0
	}
	return s.Items[i].Options[o].Amount
}
