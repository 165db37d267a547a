package assign_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"fairbridge/policy/solve/assign"
)

// total is the sum of completion times of a division, and an error when two
// jobs have the same place of one machine.
func total(times [][]float64, width []float64, banks []assign.MachineGroup, places []assign.Position) (float64, error) {
	sum, used := 0.0, map[assign.Position]int{}
	for i, p := range places {
		if p.Group < 0 {
			continue
		}
		if used[p]++; used[p] > banks[p.Group].Count {
			return 0, fmt.Errorf("%d jobs have place %+v of %d machines", used[p], p, banks[p.Group].Count)
		}
		t := times[i][banks[p.Group].Type]
		sum += t*(1+float64(p.FromEnd-1)*width[i]) + banks[p.Group].FreeAfter
	}
	return sum, nil
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func TestToGroupsOfThePaper(t *testing.T) {
	for name, c := range map[string]struct {
		times [][]float64
		banks []assign.MachineGroup
		sum   float64
		want  []assign.Position
	}{
		"two free machines": {[][]float64{{1, 2}, {2, 8}, {3, 4}}, []assign.MachineGroup{{0, 1, 0}, {1, 1, 0}}, 8,
			[]assign.Position{{0, 2}, {0, 1}, {1, 1}}},
		"the faster is free later": {[][]float64{{2, 4}, {6, 7}, {4, 12}}, []assign.MachineGroup{{0, 1, 1}, {1, 1, 0}}, 17,
			[]assign.Position{{0, 2}, {1, 1}, {0, 1}}},
		"one type is shortest first": {[][]float64{{3}, {1}, {2}}, []assign.MachineGroup{{0, 1, 0}}, 10,
			[]assign.Position{{0, 1}, {0, 3}, {0, 2}}},
		"nowhere":     {[][]float64{{math.Inf(1)}, {1}}, []assign.MachineGroup{{0, 1, 0}}, 1, []assign.Position{{-1, 0}, {0, 1}}},
		"no machines": {[][]float64{{1}}, []assign.MachineGroup{{0, 0, 0}}, 0, []assign.Position{{-1, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := assign.AssignPositions(c.times, ones(len(c.times)), c.banks, 0)
			sum, err := total(c.times, ones(len(c.times)), c.banks, got)
			if err != nil || sum != c.sum || !slices.Equal(got, c.want) {
				t.Errorf("%v costs %g, %v; want %v at %g", got, sum, err, c.want, c.sum)
			}
		})
	}
}

// drawn returns an instance of n jobs.
func drawn(rng *rand.Rand, n int) (times [][]float64, width []float64, banks []assign.MachineGroup) {
	types := 1 + rng.IntN(3)
	for range n {
		row := make([]float64, types)
		for t := range row {
			row[t] = float64(1 + rng.IntN(20))
			if t > 0 && rng.IntN(6) == 0 {
				row[t] = math.Inf(1)
			}
		}
		times = append(times, row)
		width = append(width, float64(1+rng.IntN(2)*rng.IntN(4)))
	}
	for t := range types {
		for range 1 + rng.IntN(2) {
			banks = append(banks, assign.MachineGroup{Type: t, Count: 1 + rng.IntN(2), FreeAfter: float64(rng.IntN(3) * rng.IntN(10))})
		}
	}
	return times, width, banks
}

// TestToGroupsAgainstLP compares with the linear program over all (bank, place),
// whose vertices are whole.
func TestToGroupsAgainstLP(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		n := 1 + rng.IntN(6)
		times, width, banks := drawn(rng, n)
		got, err := total(times, width, banks, assign.AssignPositions(times, width, banks, 0))
		if err != nil {
			t.Fatal(err)
		}
		if want := matchingLP(t, times, width, banks); !(math.Abs(got-want) < 1e-6) {
			t.Fatalf("%g, optimum %g: times %v width %v banks %+v", got, want, times, width, banks)
		}
	}
}

func matchingLP(t *testing.T, times [][]float64, width []float64, banks []assign.MachineGroup) float64 {
	t.Helper()
	n := len(times)
	classes := len(banks) * n
	vars := n*classes + classes // and what each class leaves over
	c, a, b := make([]float64, vars), mat.NewDense(n+classes, vars, nil), make([]float64, n+classes)
	for i := range n {
		b[i] = 1
		for k := range classes {
			bank := banks[k/n]
			p := min(times[i][bank.Type], 1e5)
			c[i*classes+k] = p + float64(k%n)*width[i]*p + bank.FreeAfter
			a.Set(i, i*classes+k, 1)
			a.Set(n+k, i*classes+k, 1)
			a.Set(n+k, n*classes+k, 1)
			b[n+k] = float64(bank.Count)
		}
	}
	sum, _, err := lp.Simplex(c, a, b, 1e-9, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestToGroupsByBruteForce tries every division of few jobs.
func TestToGroupsByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		times, width, banks := drawn(rng, 1+rng.IntN(4))
		got, err := total(times, width, banks, assign.AssignPositions(times, width, banks, 0))
		if err != nil {
			t.Fatal(err)
		}
		if want := cheapest(times, width, banks, make([]assign.Position, len(times)), 0); !(math.Abs(got-want) <= 1e-9*want) {
			t.Fatalf("%g, optimum %g: times %v width %v banks %+v", got, want, times, width, banks)
		}
	}
}

func cheapest(times [][]float64, width []float64, banks []assign.MachineGroup, places []assign.Position, next int) float64 {
	if next == len(times) {
		sum, err := total(times, width, banks, places)
		if err != nil {
			return math.Inf(1)
		}
		return sum
	}
	best := math.Inf(1)
	for b := range banks {
		for k := 1; k <= len(times); k++ {
			places[next] = assign.Position{Group: b, FromEnd: k}
			best = min(best, cheapest(times, width, banks, places, next+1))
		}
	}
	return best
}

// TestToGroupsGreedyTail wants what little effort finds to be near the optimum,
// and on one type the optimum itself.
func TestToGroupsGreedyTail(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		n, types := 200, 1+rng.IntN(3)
		var times [][]float64
		for range n {
			base, row := math.Exp(rng.NormFloat64()*1.5), make([]float64, types)
			for k := range row {
				row[k] = base * (1 + 3*rng.Float64()*float64(k))
			}
			times = append(times, row)
		}
		var banks []assign.MachineGroup
		for k := range types {
			banks = append(banks, assign.MachineGroup{Type: k, Count: 3 + k})
		}
		rough, err := total(times, ones(n), banks, assign.AssignPositions(times, ones(n), banks, 1e4))
		if err != nil {
			t.Fatal(err)
		}
		exact, err := total(times, ones(n), banks, assign.AssignPositions(times, ones(n), banks, 0))
		if err != nil {
			t.Fatal(err)
		}
		if !(rough > exact-1e-6*exact && rough < 1.15*exact) || types == 1 && rough > exact*(1+1e-9) {
			t.Errorf("%d types: %g with little effort, %g exactly", types, rough, exact)
		}
	}
}

// BenchmarkToGroups is 10,000 jobs on 4,096 machines of four types.
func BenchmarkToGroups(b *testing.B) {
	for _, free := range []int{1024, 8, 1} {
		b.Run(fmt.Sprintf("%d free of each type", free), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(7, 8))
			times := make([][]float64, 10_000)
			for i := range times {
				base := math.Exp(rng.NormFloat64() * 1.5)
				times[i] = []float64{base, base * (1 + rng.Float64()), base * (2 + rng.Float64()), base * (4 + 4*rng.Float64())}
			}
			var banks []assign.MachineGroup
			for t := range 4 {
				banks = append(banks, assign.MachineGroup{Type: t, Count: free})
				for d := range min(8, (1024-free)/8) {
					banks = append(banks, assign.MachineGroup{Type: t, Count: (1024 - free) / 8, FreeAfter: float64(d + 1)})
				}
			}
			for b.Loop() {
				assign.AssignPositions(times, ones(len(times)), banks, 3e7)
			}
		})
	}
}
