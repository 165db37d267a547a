package choice_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairbridge/policy/solve/choice"
)

// drawProblem draws jobs that gain by GPUs of three types as Sia's do: a job may have 1, 2, 4,
// 8 or whole nodes of each, up to some number, is faster on some types and the less so the
// more it has. Costs are rounded to hundredths on request, so that many are equal.
func drawProblem(seed uint64, jobs int, capacities []int, rounds bool) choice.Problem {
	rnd := rand.New(rand.NewPCG(seed, 7))
	p := choice.Problem{Capacities: capacities}
	for range jobs {
		it := choice.Item{NoneCost: 1.1}
		most, serial, restart := 1<<rnd.IntN(7), .01+.2*rnd.Float64(), .5+.5*rnd.Float64()
		current := rnd.IntN(12)
		slowest := math.Inf(1)
		var speeds []float64
		for t := range capacities {
			fast := 1 + 3*rnd.Float64()
			for k := 1; k <= most; k *= 2 {
				v := fast * float64(k) / (1 + serial*float64(k-1))
				slowest = min(slowest, v)
				speeds = append(speeds, v)
				it.Options = append(it.Options, choice.Option{Resource: t, Amount: k})
			}
		}
		for o := range it.Options {
			v := speeds[o] / slowest
			if o != current {
				v *= restart
			}
			if it.Options[o].Cost = 1 / math.Sqrt(v); rounds {
				it.Options[o].Cost = math.RoundToEven(100*it.Options[o].Cost) / 100
			}
		}
		p.Items = append(p.Items, it)
	}
	return p
}

// check checks that a solution is what it says.
func check(t *testing.T, p choice.Problem, s choice.Solution) {
	t.Helper()
	left, cost := append([]int(nil), p.Capacities...), 0.0
	for i, o := range s.Chosen {
		if o < 0 {
			cost += p.Items[i].NoneCost
			continue
		}
		x := p.Items[i].Options[o]
		left[x.Resource] -= x.Amount
		cost += x.Cost
	}
	for r, n := range left {
		if n < 0 {
			t.Errorf("%d more of resource %d are taken than there are", -n, r)
		}
	}
	if math.Abs(cost-s.Cost) > 1e-9*max(1, math.Abs(cost)) || s.Bound > s.Cost {
		t.Errorf("cost %g, said to be %g with bound %g", cost, s.Cost, s.Bound)
	}
}

// leastCost tries all choices, by branch and bound.
func leastCost(p choice.Problem) float64 {
	cheapest := make([]float64, len(p.Items)+1) // of the items from i on, each alone
	for i := len(p.Items) - 1; i >= 0; i-- {
		least := p.Items[i].NoneCost
		for _, x := range p.Items[i].Options {
			least = min(least, x.Cost)
		}
		cheapest[i] = cheapest[i+1] + least
	}
	left, best := append([]int(nil), p.Capacities...), math.Inf(1)
	var try func(i int, cost float64)
	try = func(i int, cost float64) {
		if cost+cheapest[i] >= best {
			return
		}
		if i == len(p.Items) {
			best = cost
			return
		}
		for _, x := range p.Items[i].Options {
			if left[x.Resource] >= x.Amount {
				left[x.Resource] -= x.Amount
				try(i+1, cost+x.Cost)
				left[x.Resource] += x.Amount
			}
		}
		try(i+1, cost+p.Items[i].NoneCost)
	}
	try(0, 0)
	return best
}

func TestBranchAndBound(t *testing.T) {
	for seed := range uint64(60) {
		p := drawProblem(seed, 1+int(seed%9), [][]int{{4, 4, 4}, {8, 8}, {7}, {2, 9, 1}}[seed%4], seed%3 == 0)
		s := p.Minimize()
		check(t, p, s)
		if want := leastCost(p); !s.IsProven || math.Abs(s.Cost-want) > 1e-5 || s.Bound > want+1e-9 {
			t.Errorf("seed %d: cost %g (proven %v) with bound %g, want %g", seed, s.Cost, s.IsProven, s.Bound, want)
		}
	}
}

// TestGap holds the cost against the bound, which no choice is below, and says how many of ten
// choices are proven to be the best.
func TestGap(t *testing.T) {
	for _, c := range []struct {
		jobs       int
		capacities []int
		most       float64 // of the cost above the bound, in parts of it
		proven     int     // at least
	}{
		{25, []int{24, 16, 24}, .0095, 10}, {100, []int{24, 16, 24}, 1e-4, 10}, {100, []int{96}, 1e-4, 10},
		{300, []int{352, 320, 352}, 3e-4, 0}, {1000, []int{352, 320, 352}, 5e-5, 0}, {1000, []int{1024}, 1e-5, 10},
	} {
		for _, rounds := range []bool{false, true} {
			worst, proven := 0.0, 0
			for seed := range uint64(10) {
				p := drawProblem(seed, c.jobs, c.capacities, rounds)
				s := p.Minimize()
				check(t, p, s)
				worst = max(worst, s.Cost/s.Bound-1)
				if s.IsProven {
					proven++
				}
			}
			t.Logf("%d jobs on %v, rounded %v: at most %.4f %% above the bound, %d of 10 proven", c.jobs, c.capacities, rounds, 100*worst, proven)
			if worst > c.most || proven < c.proven {
				t.Errorf("%d jobs on %v, rounded %v: %.4f %% above the bound, want at most %.4f %%; %d proven, want %d", c.jobs, c.capacities, rounds, 100*worst, 100*c.most, proven, c.proven)
			}
		}
	}
}

// TestConfigurations is an example of two GPU types with two GPUs each: the third job, of
// two GPUs, is much faster on the second type.
func TestConfigurations(t *testing.T) {
	row := func(a1, a2, b1, b2, none float64) choice.Item {
		it := choice.Item{NoneCost: none}
		for k, speed := range []float64{a1, a2, b1, b2} {
			if speed > 0 {
				it.Options = append(it.Options, choice.Option{Resource: k / 2, Amount: 1 + k%2, Cost: 1 / math.Sqrt(speed)})
			}
		}
		return it
	}
	for _, c := range []struct {
		none, cost float64
		chosen     [3]int
	}{{1.1, 1/math.Sqrt(1.8) + 1/math.Sqrt(5) + 1.1, [3]int{1, -1, 1}}, {2, 1/math.Sqrt(2) + 1/math.Sqrt(1.2) + 1/math.Sqrt(2), [3]int{2, 2, 0}}} {
		p := choice.Problem{Capacities: []int{2, 2}, Items: []choice.Item{row(1, 1.8, 2, 3.2, c.none), row(1, 1.4, 1.2, 1.7, c.none), row(0, 2, 0, 5, c.none)}}
		s := p.Minimize()
		if [3]int(s.Chosen) != c.chosen || math.Abs(s.Cost-c.cost) > 1e-9 {
			t.Errorf("none at %g: %v for %.4f, want %v for %.4f", c.none, s.Chosen, s.Cost, c.chosen, c.cost)
		}
	}
}

func TestEdges(t *testing.T) {
	one := []choice.Option{{Resource: 0, Amount: 1, Cost: -3}}
	for name, c := range map[string]struct {
		p    choice.Problem
		cost float64
	}{
		"nothing":                     {choice.Problem{}, 0},
		"no items":                    {choice.Problem{Capacities: []int{3}}, 0},
		"no options":                  {choice.Problem{Capacities: []int{3}, Items: []choice.Item{{NoneCost: 2}}}, 2},
		"no room":                     {choice.Problem{Capacities: []int{0}, Items: []choice.Item{{one, 1}}}, 1},
		"costs may be negative":       {choice.Problem{Capacities: []int{1}, Items: []choice.Item{{one, -1}, {one, 0}}}, -4},
		"none may be cheaper":         {choice.Problem{Capacities: []int{2}, Items: []choice.Item{{one, -5}, {one, 0}}}, -8},
		"all may have what they want": {choice.Problem{Capacities: []int{2}, Items: []choice.Item{{one, 0}, {one, 0}}}, -6},
	} {
		if s := c.p.Minimize(); math.Abs(s.Cost-c.cost) > 1e-9 || !s.IsProven {
			t.Errorf("%s: %+v, want a cost of %g", name, s, c.cost)
		}
	}
}

// TestTies: which of equal choices is taken depends on the seed alone.
func TestTies(t *testing.T) {
	it := choice.Item{Options: []choice.Option{{Resource: 0, Amount: 1, Cost: 1}}, NoneCost: 2}
	p := choice.Problem{Capacities: []int{1}, Items: []choice.Item{it, it, it, it}}
	served := map[int]bool{}
	for p.TieSeed = range 40 {
		s, again := p.Minimize(), p.Minimize()
		for i, o := range s.Chosen {
			served[i] = served[i] || o == 0
			if again.Chosen[i] != o {
				t.Errorf("seed %d: %v, then %v", p.TieSeed, s.Chosen, again.Chosen)
			}
		}
		if s.Cost != 7 {
			t.Errorf("seed %d: cost %g, want 7", p.TieSeed, s.Cost)
		}
	}
	if len(served) != 4 || !served[0] || !served[1] || !served[2] || !served[3] {
		t.Errorf("served in 40 seeds: %v, want each once", served)
	}
}

func BenchmarkMinimize(b *testing.B) {
	for _, c := range []struct {
		name       string
		jobs       int
		capacities []int
	}{{"22x64", 22, []int{24, 16, 24}}, {"100x64", 100, []int{24, 16, 24}}, {"1000x1024", 1000, []int{352, 320, 352}}, {"1000x1024x1", 1000, []int{1024}}, {"1000x1024x6", 1000, []int{200, 200, 200, 200, 112, 112}}} {
		b.Run(c.name, func(b *testing.B) {
			p := drawProblem(1, c.jobs, c.capacities, true)
			for b.Loop() {
				p.Minimize()
			}
		})
	}
}
