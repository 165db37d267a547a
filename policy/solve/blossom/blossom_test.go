package blossom

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// bestWeight tries all matchings of the nodes from the first on.
func bestWeight(weights [][]float64, used int, first int) float64 {
	for first < len(weights) && used&(1<<first) != 0 {
		first++
	}
	if first >= len(weights) {
		return 0
	}
	best := bestWeight(weights, used|1<<first, first+1)
	for other := first + 1; other < len(weights); other++ {
		if used&(1<<other) == 0 && weights[first][other] > 0 {
			best = max(best, weights[first][other]+bestWeight(weights, used|1<<first|1<<other, first+1))
		}
	}
	return best
}

// weightOf adds up a matching after having checked that it is one.
func weightOf(t interface{ Fatalf(string, ...any) }, weights [][]float64, mates []int) float64 {
	sum := 0.0
	for a, b := range mates {
		switch {
		case b < 0:
		case b == a || mates[b] != a || !(weights[a][b] > 0):
			t.Fatalf("%v is no matching: node %d", mates, a)
		case a < b:
			sum += weights[a][b]
		}
	}
	return sum
}

// draw returns weights by node and node, of so many kinds; 0: of any value. A part of the pairs has none.
func draw(r *rand.Rand, n, kinds int, part float64) ([][]float64, []Edge) {
	weights, edges := make([][]float64, n), []Edge(nil)
	for a := range n {
		weights[a] = make([]float64, n)
		for b := range a {
			w := r.Float64()*1.1 - .2
			if kinds > 0 {
				w = float64(r.IntN(kinds))
			}
			if r.Float64() < part {
				weights[a][b], weights[b][a] = w, w
				edges = append(edges, Edge{a, b, w})
			}
		}
	}
	return weights, edges
}

// TestIsTheBest compares with all matchings there are, of graphs with and without ties.
func TestIsTheBest(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 17))
		weights, edges := draw(r, int(seed%12), int(seed%3)*3, []float64{.3, .6, 1}[seed%7%3])
		got, want := weightOf(t, weights, Match(len(weights), edges)), bestWeight(weights, 0, 0)
		if math.Abs(got-want) > 1e-9 {
			t.Fatalf("graph %d of %d nodes: %v, the best is %v", seed, len(weights), got, want)
		}
	}
}

// TestNumberingDoesNotMatter wants the same weight of larger graphs however their nodes are numbered.
func TestNumberingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		weights, edges := draw(r, rapid.IntRange(13, 60).Draw(t, "nodes"), rapid.SampledFrom([]int{0, 4}).Draw(t, "kinds"), .5)
		names := r.Perm(len(weights))
		renamed, again := make([][]float64, len(weights)), make([]Edge, len(edges))
		for i := range renamed {
			renamed[i] = make([]float64, len(weights))
		}
		for i, e := range edges {
			a, b := names[e.A], names[e.B]
			again[i], renamed[a][b], renamed[b][a] = Edge{a, b, e.Weight}, e.Weight, e.Weight
		}
		got, other := weightOf(t, weights, Match(len(weights), edges)), weightOf(t, renamed, Match(len(weights), again))
		if math.Abs(got-other) > 1e-9 {
			t.Fatalf("%v, and %v numbered otherwise", got, other)
		}
	})
}

// TestNested is a graph in which blossoms lie within each other, and one must come apart.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		edges []Edge
		n     int
		want  float64
	}{
		{[]Edge{{0, 1, 9}, {0, 2, 9}, {1, 2, 10}, {1, 3, 8}, {2, 4, 8}, {3, 4, 10}, {4, 5, 6}}, 6, 8 + 9 + 6},
		{[]Edge{{0, 1, 45}, {0, 4, 45}, {1, 2, 50}, {2, 3, 45}, {3, 4, 50}, {0, 5, 30}, {2, 8, 35}, {3, 7, 35}, {4, 6, 26}, {8, 9, 5}}, 10, 50 + 30 + 35 + 26 + 5},
		{nil, 0, 0}, {nil, 3, 0}, {[]Edge{{0, 0, 5}, {0, 1, -1}}, 2, 0},
	} {
		got := 0.0
		for a, b := range Match(c.n, c.edges) {
			for _, e := range c.edges {
				if a < b && (e.A == a && e.B == b || e.A == b && e.B == a) {
					got += e.Weight
				}
			}
		}
		if got != c.want {
			t.Errorf("%v has weight %v, want %v", c.edges, got, c.want)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{30, 128} {
		_, edges := draw(rand.New(rand.NewPCG(1, 1)), n, 0, 1)
		b.Run(map[int]string{30: "30", 128: "128"}[n], func(b *testing.B) {
			for b.Loop() {
				Match(n, edges)
			}
		})
	}
}
