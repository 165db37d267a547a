package assign

import (
	"cmp"
	"slices"
)

// Edge is a possible pair of nodes and what it is worth.
type Edge struct {
	A, B   int
	Weight float64
}

// MaxWeightMatching returns disjoint pairs among n nodes of large total weight: edges of
// positive weight, the heaviest first, then improved as long as an edge, or two
// joined by a pair, are worth more than the pairs they replace. What no such
// change improves is at least two thirds of the optimum (Pettie and Sanders,
// Information Processing Letters 91, 2004), and nearly always the optimum.
func MaxWeightMatching(n int, edges []Edge) []Edge {
	m := matching{edgeOfNode: make([]int, n), edgesByNode: make([][]int, n)}
	for _, e := range edges {
		if e.Weight > 0 && e.A != e.B {
			m.edges = append(m.edges, e)
		}
	}
	slices.SortFunc(m.edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	for i := range m.edgeOfNode {
		m.edgeOfNode[i] = -1
	}
	for i, e := range m.edges {
		m.edgesByNode[e.A] = append(m.edgesByNode[e.A], i)
		m.edgesByNode[e.B] = append(m.edgesByNode[e.B], i)
		if m.edgeOfNode[e.A] < 0 && m.edgeOfNode[e.B] < 0 {
			m.edgeOfNode[e.A], m.edgeOfNode[e.B] = i, i
		}
	}
	for m.improveOnce() {
	}
	return m.listPairs()
}

// matching holds, by node, the edge it is matched by; -1: none.
type matching struct {
	edges            []Edge
	edgeOfNode       []int
	edgesByNode      [][]int // edges at each node, the heaviest first
	edgeOfNodeBefore []int   // mate before a swap
}

func (m *matching) listPairs() []Edge {
	var out []Edge
	for node, i := range m.edgeOfNode {
		if i >= 0 && min(m.edges[i].A, m.edges[i].B) == node {
			out = append(out, m.edges[i])
		}
	}
	return out
}

// improveOnce puts every edge in turn into the matching for those it touches, each
// node they leave alone finding itself the partner worth most; it keeps what is
// worth more.
func (m *matching) improveOnce() bool {
	better := false
	for i, e := range m.edges {
		if m.edgeOfNode[e.A] != i && (m.swapEdgeIn(i, e.A, e.B) || m.swapEdgeIn(i, e.B, e.A)) {
			better = true
		}
	}
	return better
}

// swapEdgeIn puts edge in, whose first end's old partner chooses first.
func (m *matching) swapEdgeIn(in, first, second int) bool {
	m.edgeOfNodeBefore = append(m.edgeOfNodeBefore[:0], m.edgeOfNode...)
	gain := m.edges[in].Weight
	left := make([]int, 0, 2)
	for _, node := range []int{first, second} {
		if out := m.edgeOfNode[node]; out >= 0 {
			gain -= m.edges[out].Weight
			other := m.edges[out].otherEnd(node)
			m.edgeOfNode[node], m.edgeOfNode[other] = -1, -1
			left = append(left, other)
		}
	}
	m.edgeOfNode[first], m.edgeOfNode[second] = in, in
	for _, node := range left {
		gain += m.matchBestNeighbour(node)
	}
	if gain > 1e-12*m.edges[0].Weight {
		return true
	}
	copy(m.edgeOfNode, m.edgeOfNodeBefore)
	return false
}

// matchBestNeighbour matches a node with the neighbour worth most, a free one or one that
// leaves a worse partner for it, and returns what that gains.
func (m *matching) matchBestNeighbour(node int) float64 {
	if m.edgeOfNode[node] >= 0 {
		return 0
	}
	most, with := 0.0, -1
	for _, i := range m.edgesByNode[node] {
		gain := m.edges[i].Weight
		if out := m.edgeOfNode[m.edges[i].otherEnd(node)]; out >= 0 {
			gain -= m.edges[out].Weight
		}
		if gain > most {
			most, with = gain, i
		}
	}
	if with < 0 {
		return 0
	}
	e := m.edges[with]
	far := e.otherEnd(node)
	if out := m.edgeOfNode[far]; out >= 0 {
		m.edgeOfNode[m.edges[out].otherEnd(far)] = -1
	}
	m.edgeOfNode[node], m.edgeOfNode[far] = with, with
	return most
}

func (e Edge) otherEnd(node int) int { return e.A + e.B - node }
