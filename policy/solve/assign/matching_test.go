package assign

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// bestMatch tries all matchings.
func bestMatch(edges []Edge, used map[int]bool) float64 {
	best := 0.0
	for i, e := range edges {
		if e.Weight <= 0 || used[e.A] || used[e.B] || e.A == e.B {
			continue
		}
		used[e.A], used[e.B] = true, true
		best = max(best, e.Weight+bestMatch(edges[i+1:], used))
		used[e.A], used[e.B] = false, false
	}
	return best
}

func drawEdges(t *rapid.T, n int) []Edge {
	var edges []Edge
	for a := range n {
		for b := range a {
			if w := rapid.Float64Range(-.4, .7).Draw(t, "weight"); rapid.Bool().Draw(t, "edge") {
				edges = append(edges, Edge{a, b, w})
			}
		}
	}
	return edges
}

// weigh adds up a matching after having checked that it is one.
func weigh(t interface{ Fatalf(string, ...any) }, pairs []Edge) float64 {
	sum, seen := 0.0, map[int]bool{}
	for _, e := range pairs {
		if seen[e.A] || seen[e.B] || e.Weight <= 0 {
			t.Fatalf("%+v is no pair to make", e)
		}
		seen[e.A], seen[e.B] = true, true
		sum += e.Weight
	}
	return sum
}

// TestMatchIsAtLeastTwoThirds: the bound that holds for any graph.
func TestMatchIsAtLeastTwoThirds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "nodes")
		edges := drawEdges(t, n)
		sum, want := weigh(t, MaxWeightMatching(n, edges)), bestMatch(edges, map[int]bool{})
		if sum < want*2/3-1e-12 || sum > want+1e-12 {
			t.Fatalf("weight %v, the best is %v: %+v", sum, want, edges)
		}
	})
}

// TestMatchIsNearTheOptimum: how near over a thousand given graphs of each
// size, a third of them with many equal weights.
func TestMatchIsNearTheOptimum(t *testing.T) {
	for n := 4; n <= 9; n++ {
		got, best := 0.0, 0.0
		for seed := range uint64(1000) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			var edges []Edge
			for a := range n {
				for b := range a {
					w := r.Float64()*1.1 - .4
					if seed%3 == 0 {
						w = float64(r.IntN(5))
					}
					if r.IntN(2) == 0 {
						edges = append(edges, Edge{a, b, w})
					}
				}
			}
			got += weigh(t, MaxWeightMatching(n, edges))
			best += bestMatch(edges, map[int]bool{})
		}
		if got < .998*best {
			t.Errorf("%d nodes: in all %v of %v", n, got, best)
		}
	}
}

// TestMatchMovesBothPartners: parting the pair 2-3 pays only when both of its
// nodes find partners who leave a worse one.
func TestMatchMovesBothPartners(t *testing.T) {
	edges := []Edge{{0, 1, .2}, {2, 3, 1}, {4, 5, .2}, {1, 2, .9}, {3, 4, .9}}
	if sum := weigh(t, MaxWeightMatching(6, edges)); sum != 1.8 {
		t.Errorf("weight %v, want 1.8", sum)
	}
}

// TestMatchGivesUpTheHeaviest: a path of three edges, the middle one heaviest
// but worth less than the two beside it.
func TestMatchGivesUpTheHeaviest(t *testing.T) {
	got := MaxWeightMatching(4, []Edge{{0, 1, .5}, {1, 2, .6}, {2, 3, .5}})
	if len(got) != 2 || got[0].Weight+got[1].Weight != 1 {
		t.Errorf("%+v", got)
	}
}
