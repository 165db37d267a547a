// Package blossom finds matchings of the largest weight in graphs of any shape: exactly, in
// time that grows with the cube of the number of nodes.
//
// J. Edmonds, "Maximum Matching and a Polyhedron With 0,1-Vertices", Journal of Research of
// the National Bureau of Standards 69B, 1965; Z. Galil, "Efficient Algorithms for Finding
// Maximum Matching in Graphs", ACM Computing Surveys 18, 1986.
package blossom

import (
	"math"
)

// Edge is a possible pair of nodes and what it is worth.
type Edge struct {
	A, B   int
	Weight float64
}

// resolution is what the heaviest edge counts as a whole number: weights are compared in
// whole numbers, so that sums of them are exact.
const resolution = 1 << 40

// Match returns for each of n nodes the node it is paired with, or -1: the matching of the largest
// total weight. It need not pair as many nodes as it could, and edges without a positive
// weight are not used. Weights that differ by less than 1e-12 of the heaviest may count as equal.
func Match(n int, edges []Edge) []int {
	s := newSearch(n, edges)
	for s.augmentOnce() {
	}
	mates := make([]int, n)
	for i := range mates {
		mates[i] = s.mate[i+1] - 1
	}
	return mates
}

// The labels of nodes and blossoms while the search for a path goes on.
const (
	unlabelled int8 = iota - 1
	outer           // an even number of edges from a free node
	inner           // an odd number
)

// link is an edge between two groups, a node each or a blossom: the two nodes it joins.
type link struct {
	from, to int
	weight   int64 // 0: there is no edge
}

// search is the state of the algorithm. Nodes are numbered from 1, blossoms behind them; 0 is
// none. A group is a node or a blossom; the outermost group of a node is the largest blossom
// that holds it, or the node itself.
type search struct {
	nodes, groups int      // nodes, and the largest group in use
	links         [][]link // by two groups: the tightest edge between them
	price         []int64  // of nodes, and of blossoms: the dual variables, doubled
	mate          []int    // by group: the node at the other end of its matched edge
	tightest      []int    // by group: the outer node with the tightest edge to it
	outermost     []int    // by group
	parent        []int    // by group: the node from which the search came to it
	childOfNode   [][]int  // by blossom and node: the group of the blossom that holds the node
	label         []int8
	visit         []int // by group: the last search for a common ancestor that passed
	visits        int
	children      [][]int // by blossom: its groups, around its cycle, the base first
	queue         []int   // outer nodes whose edges have not been looked at
}

func newSearch(n int, edges []Edge) *search {
	size := n + n/2 + 2
	s := &search{
		nodes: n, groups: n, links: make([][]link, size), price: make([]int64, size), mate: make([]int, size), tightest: make([]int, size),
		outermost: make([]int, size), parent: make([]int, size), childOfNode: make([][]int, size), label: make([]int8, size),
		visit: make([]int, size), children: make([][]int, size),
	}
	for g := range size {
		s.links[g], s.childOfNode[g] = make([]link, size), make([]int, n+1)
	}
	for u := 1; u <= n; u++ {
		s.outermost[u], s.childOfNode[u][u], s.price[u] = u, u, resolution
	}
	most := 0.0
	for _, e := range edges {
		most = max(most, e.Weight)
	}
	for _, e := range edges {
		a, b := e.A+1, e.B+1
		if w := int64(math.Round(e.Weight / most * resolution)); e.Weight > 0 && a != b && w > s.links[a][b].weight {
			s.links[a][b], s.links[b][a] = link{a, b, w}, link{b, a, w}
		}
	}
	return s
}

// slack is how far the edge is from being worth its price, doubled; 0: it may be in the matching.
func (s *search) slack(l link) int64 {
	return s.price[l.from] + s.price[l.to] - 2*s.links[l.from][l.to].weight
}

// noteTightest notes the edge from the outer node to the group where it is the tightest.
func (s *search) noteTightest(u, g int) {
	if s.tightest[g] == 0 || s.slack(s.links[u][g]) < s.slack(s.links[s.tightest[g]][g]) {
		s.tightest[g] = u
	}
}

// findTightest looks for the tightest edge from an outer node to the group.
func (s *search) findTightest(g int) {
	s.tightest[g] = 0
	for u := 1; u <= s.nodes; u++ {
		if s.links[u][g].weight > 0 && s.outermost[u] != g && s.label[s.outermost[u]] == outer {
			s.noteTightest(u, g)
		}
	}
}

// enqueue lets the edges of all nodes of the group be looked at.
func (s *search) enqueue(g int) {
	if g <= s.nodes {
		s.queue = append(s.queue, g)
		return
	}
	for _, c := range s.children[g] {
		s.enqueue(c)
	}
}

// setOutermost says that the group and all in it are in the blossom.
func (s *search) setOutermost(g, blossom int) {
	s.outermost[g] = blossom
	if g > s.nodes {
		for _, c := range s.children[g] {
			s.setOutermost(c, blossom)
		}
	}
}
