package sizes_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/policy/solve/sizes"
)

// check says what of a solution may not be.
func check(t *testing.T, p *sizes.Problem, s sizes.Solution) {
	t.Helper()
	used, spread, cost := make([]int, len(p.Room)), make([]int, len(p.Room)), 0.
	for i, at := range s.Places {
		it := &p.Items[i]
		if len(at) > 0 && !slices.Contains(it.Options, at.Size()) {
			t.Errorf("item %d has size %d of %v", i, at.Size(), it.Options)
		}
		row := make([]int, len(p.Room))
		for _, part := range at {
			used[part.Bin] += part.Count
			row[part.Bin] = part.Count
			if len(at) > 1 {
				spread[part.Bin]++
			}
			if it.Room != nil && part.Count > it.Room[part.Bin] {
				t.Errorf("item %d has %d of bin %d", i, part.Count, part.Bin)
			}
		}
		cost += (&geneticSearch{Problem: p}).price(i, row)
	}
	for b := range used {
		if used[b] > p.Room[b] || spread[b] > 1 {
			t.Errorf("bin %d: %d of %d, %d spread items", b, used[b], p.Room[b], spread[b])
		}
	}
	if math.Abs(cost-s.Cost) > 1e-9*cost || s.Cost < s.Bound*(1-1e-9) {
		t.Errorf("cost %g is said to be %g, bound %g", cost, s.Cost, s.Bound)
	}
}

// TestNoWorseThanGeneticSearch: random problems of 16 devices on four bins; Pollux' search has
// a population of 100 and 100 generations.
func TestNoWorseThanGeneticSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	better := 0
	for k := range 50 {
		p := drawProblem(rng, 2+rng.IntN(9), 4, 4)
		s := sizes.Solve(p)
		check(t, p, s)
		searched := genetic(p, 100, 100, rng)
		if s.Cost > searched*(1+1e-9) {
			t.Errorf("problem %d of %d items: cost %g, genetic search %g, bound %g", k, len(p.Items), s.Cost, searched, s.Bound)
		}
		if s.Cost < searched*(1-1e-9) {
			better++
		}
	}
	t.Logf("better than the genetic search in %d of 50", better)
}

// forSum lets the sum of worths count, in place of their harmonic mean.
func forSum(p *sizes.Problem) {
	for i := range p.Items {
		it, weight, worth := &p.Items[i], float64(i+1), p.Items[i].Worth
		it.Worth = func(size, bins int) float64 { return weight * worth(size, bins) }
		for _, k := range it.Options {
			it.Full = max(it.Full, it.Worth(k, 1))
		}
	}
}

// TestNearBest compares with all places there are.
func TestNearBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	worst := 1.
	for k := range 600 {
		p := drawProblem(rng, 2+rng.IntN(3), 2+rng.IntN(2), 3)
		if k%2 == 1 {
			forSum(p)
		}
		s := sizes.Solve(p)
		check(t, p, s)
		if best := exhaustive(p); s.Cost > best*1.01 || s.Cost < best*(1-1e-9) {
			t.Errorf("problem %d: cost %g, best %g", k, s.Cost, best)
		} else {
			worst = max(worst, s.Cost/best)
		}
	}
	t.Logf("at most %.4f of the best", worst)
}

// TestNearBound compares larger ones with what no places can be below.
func TestNearBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, c := range []struct{ items, bins, perBin int }{{30, 16, 4}, {100, 32, 4}, {100, 128, 8}, {400, 128, 8}, {1000, 128, 8}} {
		p := drawProblem(rng, c.items, c.bins, c.perBin)
		s := sizes.Solve(p)
		check(t, p, s)
		t.Logf("%+v: %.4f of the bound, exact %v", c, s.Cost/s.Bound, s.Exact)
		if s.Cost > 1.01*s.Bound {
			t.Errorf("%+v: cost %g, bound %g", c, s.Cost, s.Bound)
		}
	}
}
