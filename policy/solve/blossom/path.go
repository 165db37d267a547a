package blossom

import (
	"math"
	"slices"
)

// augmentOnce makes the matching one pair larger if that makes it worth more, and reports
// whether it did.
func (s *search) augmentOnce() bool {
	for g := range s.groups + 1 {
		s.label[g], s.tightest[g] = unlabelled, 0
	}
	s.queue = s.queue[:0]
	for g := 1; g <= s.groups; g++ {
		if s.outermost[g] == g && s.mate[g] == 0 {
			s.parent[g], s.label[g] = 0, outer
			s.enqueue(g)
		}
	}
	if len(s.queue) == 0 {
		return false
	}
	for {
		if s.growTrees() {
			return true
		}
		if !s.changePrices() {
			return false
		}
		if s.followTightEdges() {
			return true
		}
		s.expandEmptyBlossoms()
	}
}

// growTrees looks at the edges of the outer nodes in the queue. It reports whether a path was found.
func (s *search) growTrees() bool {
	for len(s.queue) > 0 {
		u := s.queue[0]
		s.queue = s.queue[1:]
		if s.label[s.outermost[u]] == inner {
			continue
		}
		for v := 1; v <= s.nodes; v++ {
			l := s.links[u][v]
			if l.weight == 0 || s.outermost[u] == s.outermost[v] {
				continue
			}
			if s.slack(l) > 0 {
				s.noteTightest(u, s.outermost[v])
			} else if s.follow(l) {
				return true
			}
		}
	}
	return false
}

// follow takes an edge without slack from an outer node: to a group that was not reached before, or
// to an outer one, which closes a blossom or is the end of a path. It reports the latter.
func (s *search) follow(l link) bool {
	u, v := s.outermost[l.from], s.outermost[l.to]
	switch s.label[v] {
	case unlabelled:
		s.parent[v], s.label[v] = l.from, inner
		next := s.outermost[s.mate[v]]
		s.tightest[v], s.tightest[next] = 0, 0
		s.label[next] = outer
		s.enqueue(next)
	case outer:
		base := s.findCommonAncestor(u, v)
		if base == 0 {
			s.augment(u, v)
			s.augment(v, u)
			return true
		}
		s.closeBlossom(u, base, v)
	}
	return false
}

// changePrices changes the prices as far as that leaves no edge below its price. It reports false
// where a free node has become worth nothing, which no path can better.
func (s *search) changePrices() bool {
	d := s.largestChange()
	for u := 1; u <= s.nodes; u++ {
		switch s.label[s.outermost[u]] {
		case outer:
			if s.price[u] <= d {
				return false
			}
			s.price[u] -= d
		case inner:
			s.price[u] += d
		}
	}
	for b := s.nodes + 1; b <= s.groups; b++ {
		if s.outermost[b] != b {
			continue
		}
		switch s.label[b] {
		case outer:
			s.price[b] += 2 * d
		case inner:
			s.price[b] -= 2 * d
		}
	}
	s.queue = s.queue[:0]
	return true
}

// largestChange is by how much prices can change until an edge is tight or a blossom comes apart.
func (s *search) largestChange() int64 {
	d := int64(math.MaxInt64)
	for g := 1; g <= s.groups; g++ {
		if s.outermost[g] != g {
			continue
		}
		if g > s.nodes && s.label[g] == inner {
			d = min(d, s.price[g]/2)
		}
		if s.tightest[g] == 0 {
			continue
		}
		switch slack := s.slack(s.links[s.tightest[g]][g]); s.label[g] {
		case unlabelled:
			d = min(d, slack)
		case outer:
			d = min(d, slack/2)
		}
	}
	return d
}

// followTightEdges follows the edges that have become tight. It reports whether a path was found.
func (s *search) followTightEdges() bool {
	for g := 1; g <= s.groups; g++ {
		u := s.tightest[g]
		if s.outermost[g] == g && u != 0 && s.outermost[u] != g && s.slack(s.links[u][g]) == 0 && s.follow(s.links[u][g]) {
			return true
		}
	}
	return false
}

// findCommonAncestor returns the group where the paths of two groups to their roots meet; 0: they
// do not.
func (s *search) findCommonAncestor(u, v int) int {
	s.visits++
	for ; u != 0 || v != 0; u, v = v, u {
		if u == 0 {
			continue
		}
		if s.visit[u] == s.visits {
			return u
		}
		s.visit[u] = s.visits
		if u = s.outermost[s.mate[u]]; u != 0 {
			u = s.outermost[s.parent[u]]
		}
	}
	return 0
}

// augment pairs the group with the other, and all on its path to the root anew.
func (s *search) augment(u, v int) {
	for {
		next := s.outermost[s.mate[u]]
		s.pair(u, v)
		if next == 0 {
			return
		}
		u, v = s.outermost[s.parent[next]], next
		s.pair(v, u)
	}
}

// pair pairs the group with the other over the tightest edge between them, and turns the
// pairs within a blossom so that the node of that edge is its base.
func (s *search) pair(u, v int) {
	l := s.links[u][v]
	s.mate[u] = l.to
	if u <= s.nodes {
		return
	}
	child := s.childOfNode[u][l.from]
	at := s.evenPosition(u, child)
	for i := range at {
		s.pair(s.children[u][i], s.children[u][i^1])
	}
	s.pair(child, v)
	s.children[u] = slices.Concat(s.children[u][at:], s.children[u][:at])
}

// evenPosition returns how many steps the child is from the base of its blossom in the direction
// in which that is an even number, and lists the children in that direction.
func (s *search) evenPosition(blossom, child int) int {
	at := slices.Index(s.children[blossom], child)
	if at%2 == 0 {
		return at
	}
	slices.Reverse(s.children[blossom][1:])
	return len(s.children[blossom]) - at
}
