package solve

import (
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

func TestMatchIsNearTheOptimum(t *testing.T) {
	got, best := 0.0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "nodes")
		edges := drawEdges(t, n)
		sum, seen := 0.0, map[int]bool{}
		for _, e := range Match(n, edges) {
			if seen[e.A] || seen[e.B] || e.Weight <= 0 {
				t.Fatalf("%+v is no pair to make", e)
			}
			seen[e.A], seen[e.B] = true, true
			sum += e.Weight
		}
		want := bestMatch(edges, map[int]bool{})
		if sum < want/2-1e-12 || sum > want+1e-12 {
			t.Fatalf("weight %v, the best is %v: %+v", sum, want, edges)
		}
		got, best = got+sum, best+want
	})
	if got < .99*best {
		t.Errorf("in all %v of %v", got, best)
	}
}

// TestMatchGivesUpTheHeaviest: a path of three edges, the middle one heaviest
// but worth less than the two beside it.
func TestMatchGivesUpTheHeaviest(t *testing.T) {
	got := Match(4, []Edge{{0, 1, .5}, {1, 2, .6}, {2, 3, .5}})
	if len(got) != 2 || got[0].Weight+got[1].Weight != 1 {
		t.Errorf("%+v", got)
	}
}
