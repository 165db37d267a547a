// Package blossom finds matchings of the largest weight in graphs of any shape: exactly, in
// time that grows with the cube of the number of nodes.
//
// J. Edmonds, "Maximum Matching and a Polyhedron With 0,1-Vertices", Journal of Research of
// the National Bureau of Standards 69B, 1965; Z. Galil, "Efficient Algorithms for Finding
// Maximum Matching in Graphs", ACM Computing Surveys 18, 1986.
package blossom

import (
	"math"
	"slices"
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

// closeBlossom makes one group of the cycle from the base over the edge between two outer groups.
func (s *search) closeBlossom(u, base, v int) {
	b := s.newBlossom()
	s.price[b], s.label[b], s.mate[b] = 0, outer, s.mate[base]
	s.children[b] = append(s.children[b][:0], base)
	s.addPath(b, u, base)
	slices.Reverse(s.children[b][1:])
	s.addPath(b, v, base)
	s.setOutermost(b, b)
	s.linkBlossom(b)
	s.findTightest(b)
}

// newBlossom returns a group that is not in use.
func (s *search) newBlossom() int {
	b := s.nodes + 1
	for b <= s.groups && s.outermost[b] != 0 {
		b++
	}
	s.groups = max(s.groups, b)
	return b
}

// addPath adds the groups from one up to the base to the blossom.
func (s *search) addPath(b, from, base int) {
	for g := from; g != base; {
		next := s.outermost[s.mate[g]]
		s.children[b] = append(s.children[b], g, next)
		s.enqueue(next)
		g = s.outermost[s.parent[next]]
	}
}

// linkBlossom finds the tightest edges between the blossom and other groups, and which child holds
// which node.
func (s *search) linkBlossom(b int) {
	for g := 1; g <= s.groups; g++ {
		s.links[b][g].weight, s.links[g][b].weight = 0, 0
	}
	clear(s.childOfNode[b])
	for _, c := range s.children[b] {
		for g := 1; g <= s.groups; g++ {
			if s.links[c][g].weight > 0 && (s.links[b][g].weight == 0 || s.slack(s.links[c][g]) < s.slack(s.links[b][g])) {
				s.links[b][g], s.links[g][b] = s.links[c][g], s.links[g][c]
			}
		}
		for u := 1; u <= s.nodes; u++ {
			if s.childOfNode[c][u] != 0 {
				s.childOfNode[b][u] = c
			}
		}
	}
}

// expandEmptyBlossoms takes the inner blossoms apart whose price is nothing.
func (s *search) expandEmptyBlossoms() {
	for b := s.nodes + 1; b <= s.groups; b++ {
		if s.outermost[b] == b && s.label[b] == inner && s.price[b] == 0 {
			s.expand(b)
		}
	}
}

// expand takes an inner blossom apart: the groups on the even way from where the search came
// in to the base stay in the tree, the others leave it.
func (s *search) expand(b int) {
	for _, c := range s.children[b] {
		s.setOutermost(c, c)
	}
	entered := s.childOfNode[b][s.links[b][s.parent[b]].from]
	at := s.evenPosition(b, entered)
	for i := 0; i < at; i += 2 {
		in, out := s.children[b][i], s.children[b][i+1]
		s.parent[in] = s.links[out][in].from
		s.label[in], s.label[out] = inner, outer
		s.tightest[in] = 0
		s.findTightest(out)
		s.enqueue(out)
	}
	s.label[entered], s.parent[entered] = inner, s.parent[b]
	for _, c := range s.children[b][at+1:] {
		s.label[c] = unlabelled
		s.findTightest(c)
	}
	s.outermost[b] = 0
}
