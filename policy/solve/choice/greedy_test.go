package choice

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainRepair is repair as its comment says it: it looks at all changes before each.
func (s *search) plainRepair() {
	for s.overload() > 0 {
		var best relief
		best.cost = math.Inf(1)
		for i := range s.Items {
			if r := s.cheapestRelief(i); r.cost < best.cost {
				best = r
			}
		}
		s.choose(best.item, best.option)
	}
}

// TestRepairAsPlain: the heap takes the same changes as a search of all before each, where jobs take much
// more than there is, amounts are as large as what is left, and costs are equal.
func TestRepairAsPlain(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := Problem{Capacities: []int{r.IntN(40), r.IntN(40), r.IntN(6)}}
		for range 1 + r.IntN(60) {
			it := Item{NoneCost: 1.1}
			for range 1 + r.IntN(6) {
				o := Option{Resource: r.IntN(3), Amount: 1 << r.IntN(6), Cost: float64(r.IntN(10)) / 10}
				it.Options = append(it.Options, o)
			}
			p.Items = append(p.Items, it)
		}
		a, b := newSearch(p), newSearch(p)
		for i := range a.chosen {
			o := r.IntN(len(a.kept[i])+1) - 1
			if o >= 0 {
				o = a.kept[i][o]
			}
			for _, s := range []*search{a, b} {
				s.chosen[i] = -1
				s.choose(i, o)
			}
		}
		for k := range a.left {
			a.left[k] += p.Capacities[k]
			b.left[k] += p.Capacities[k]
		}
		a.repair()
		b.plainRepair()
		if !slices.Equal(a.chosen, b.chosen) {
			t.Fatalf("seed %d: %v, want %v", seed, a.chosen, b.chosen)
		}
	}
}
