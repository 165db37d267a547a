package solve

import (
	"cmp"
	"slices"
)

// Edge is a possible pair of nodes and what it is worth.
type Edge struct {
	A, B   int
	Weight float64
}

// Match returns disjoint pairs among n nodes of large total weight: edges of
// positive weight, the heaviest first, then improved as long as giving up one
// or two pairs for others around them is worth more. It is at least half of
// the optimum, usually within a percent.
func Match(n int, edges []Edge) []Edge {
	m := matching{mate: make([]int, n), near: make([][]int, n)}
	for _, e := range edges {
		if e.Weight > 0 && e.A != e.B {
			m.edges = append(m.edges, e)
		}
	}
	slices.SortFunc(m.edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	for i := range m.mate {
		m.mate[i] = -1
	}
	for i, e := range m.edges {
		m.near[e.A] = append(m.near[e.A], i)
		m.near[e.B] = append(m.near[e.B], i)
		if m.mate[e.A] < 0 && m.mate[e.B] < 0 {
			m.mate[e.A], m.mate[e.B] = i, i
		}
	}
	for range n {
		if !m.improve() {
			break
		}
	}
	return m.pairs()
}

// matching holds, by node, the edge it is matched by; -1: none.
type matching struct {
	edges []Edge
	mate  []int
	near  [][]int // edges at each node, the heaviest first
}

func (m *matching) pairs() []Edge {
	var out []Edge
	for node, i := range m.mate {
		if i >= 0 && min(m.edges[i].A, m.edges[i].B) == node {
			out = append(out, m.edges[i])
		}
	}
	return out
}

// improve puts every edge in turn into the matching for those it touches, each
// end they leave alone finding itself the best free one; it keeps what is worth
// more.
func (m *matching) improve() bool {
	better := false
	for i := range m.edges {
		if m.mate[m.edges[i].A] != i && m.swap(i) {
			better = true
		}
	}
	return better
}

func (m *matching) swap(in int) bool {
	e := m.edges[in]
	was := slices.Clone(m.mate)
	gain := e.Weight
	var left []int
	for _, node := range []int{e.A, e.B} {
		if out := m.mate[node]; out >= 0 {
			gain -= m.edges[out].Weight
			other := m.edges[out].A + m.edges[out].B - node
			m.mate[node], m.mate[other] = -1, -1
			left = append(left, other)
		}
	}
	m.mate[e.A], m.mate[e.B] = in, in
	for _, node := range left {
		gain += m.settle(node)
	}
	if gain > 1e-12 {
		return true
	}
	m.mate = was
	return false
}

// settle matches a node with its best free neighbour and returns the weight.
func (m *matching) settle(node int) float64 {
	if m.mate[node] >= 0 {
		return 0
	}
	for _, i := range m.near[node] {
		if e := m.edges[i]; m.mate[e.A] < 0 && m.mate[e.B] < 0 {
			m.mate[e.A], m.mate[e.B] = i, i
			return e.Weight
		}
	}
	return 0
}
