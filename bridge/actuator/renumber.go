package actuator

import (
	"cmp"
	"slices"
)

// Orders become numbers in Slurm: a group of jobs gets the very priorities that
// Slurm gave it, in our order. renumber keeps as many of the present ones as
// possible, because each change is a call to Slurm: a full reordering of a long
// queue would take Slurm half a minute.

// spaceHighestPriorities returns n priorities for the first n places of a group whose own
// priorities are given, in any order: its n highest, highest first, moved apart
// as little as it takes to be gap apart and not below floor.
func spaceHighestPriorities(own []int64, n int, gap, floor int64) []int64 {
	out := slices.Clone(own)
	slices.SortFunc(out, func(a, b int64) int { return cmp.Compare(b, a) })
	out = out[:n]
	for i := range out {
		out[i] += int64(i) * gap // what must not rise from here on
	}
	makeNonIncreasing(out)
	for i := range out {
		out[i] -= int64(i) * gap
	}
	if n > 0 && out[n-1] < floor {
		lift := floor - out[n-1]
		for i := range out {
			out[i] += lift
		}
	}
	return out
}

// makeNonIncreasing replaces values by the nearest that nowhere rise: neighbours that do
// are pooled at their mean until none is left.
func makeNonIncreasing(x []int64) {
	type pool struct{ sum, n int64 }
	mean := func(p pool) int64 { return floorDiv(p.sum, p.n) }
	var pools []pool
	for _, v := range x {
		p := pool{v, 1}
		for len(pools) > 0 && mean(pools[len(pools)-1]) < mean(p) {
			last := pools[len(pools)-1]
			p, pools = pool{p.sum + last.sum, p.n + last.n}, pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			x[i] = mean(p)
			i++
		}
	}
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// renumberLine returns strictly decreasing values for the places of a line that has
// these, none below floor. A present one may stay when it is within slack of the
// best; when any must change, those near the end of it do so too, so that a
// little drift does not call for the next change.
func (s *priorityTargets) renumberLine(have []int64, floor int64) []int64 {
	n, want, gap := len(have), s.bestValues, s.minGap
	within := func(slack int64) []bool {
		return markKeptValues(have, func(i int) bool { return abs(have[i]-want[i]) <= slack && have[i] >= floor+int64(n-1-i) })
	}
	kept := within(s.slack)
	if slices.Contains(kept, false) {
		kept = within(s.slack - max(1, s.slack/4))
	}
	out := make([]int64, n)
	for i := 0; i < n; {
		j := i
		for j < n && !kept[j] {
			j++
		}
		if j < n {
			out[j] = have[j]
		}
		fillValuesBetween(out, want, i, j, gap, floor)
		i = j + 1
	}
	return out
}

// fillValuesBetween gives the places from i up to j the values nearest to the best ones
// between those of the places before and after, which stand, with room to both.
func fillValuesBetween(out, want []int64, i, j int, gap, floor int64) {
	n := len(out)
	below, room := floor-1, gap
	if j < n {
		below = out[j]
	}
	if i > 0 {
		room = max(1, min(gap, (out[i-1]-below)/int64(j-i+1)))
	}
	if i > 0 && j < n {
		room = max(1, room/2) // for those who come between
	}
	for k := i; k < j; k++ {
		out[k] = max(want[k], below+int64(j-k)*room)
		if i > 0 {
			out[k] = min(out[k], out[i-1]-int64(k-i+1)*room)
		}
	}
}

// markKeptValues marks the longest run of present values that can stay: between two kept
// places there must be room for those between them. With x = have + i that is
// the longest non-increasing subsequence of x.
func markKeptValues(have []int64, fits func(int) bool) []bool {
	n := len(have)
	x := func(i int) int64 { return have[i] + int64(i) }
	tails, prev := []int{}, make([]int, n) // last place of the best run of each length
	for i := range have {
		if !fits(i) {
			continue
		}
		l := firstIndexBelow(tails, x, x(i))
		prev[i] = -1
		if l > 0 {
			prev[i] = tails[l-1]
		}
		if l == len(tails) {
			tails = append(tails, i)
		} else {
			tails[l] = i
		}
	}
	kept := make([]bool, n)
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = prev[i] {
			kept[i] = true
		}
	}
	return kept
}

// firstIndexBelow returns the first index of tails whose x is under v.
func firstIndexBelow(tails []int, x func(int) int64, v int64) int {
	lo, hi := 0, len(tails)
	for lo < hi {
		if mid := (lo + hi) / 2; x(tails[mid]) >= v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func abs(v int64) int64 { return max(v, -v) }
