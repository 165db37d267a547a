package blossom

import "slices"

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
