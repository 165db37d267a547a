package bridge

// Orders become numbers in Slurm: strictly decreasing along the line, at least
// gap apart, within [gap, top]. renumber keeps as many of the present numbers
// as possible, because each change is a call to Slurm: a full reordering of a
// long queue would take Slurm half a minute.

// renumber returns a number for each place of the line. have holds the present
// numbers, 0 where there is none. len(have)·gap must not exceed top.
func renumber(have []int64, gap, top int64) []int64 {
	kept := keep(have, gap, top)
	out := make([]int64, len(have))
	above := int64(-1) // the last number given; -1: none yet
	for i := 0; i < len(have); {
		j := i
		for j < len(have) && !kept[j] {
			j++
		}
		below := int64(0)
		if j < len(have) {
			below = have[j]
			out[j] = below
		}
		fill(out[i:j], above, below, gap, top)
		above, i = below, j+1
	}
	return out
}

// fill spreads numbers evenly over places between two given ones. At the head
// of the line they stay within 16 gaps of each other, so that a growing line
// does not creep to the top.
func fill(places []int64, above, below, gap, top int64) {
	n := int64(len(places))
	if n == 0 {
		return
	}
	if above < 0 {
		above = min(top+gap, below+(n+1)*16*gap)
	}
	step := (above - below) / (n + 1)
	for i := range places {
		places[i] = above - int64(i+1)*step
	}
}

// keep marks the longest run of present numbers that can stay: between two
// kept places there must be room for those between them. With x = have + i·gap
// that is the longest non-increasing subsequence of x.
func keep(have []int64, gap, top int64) []bool {
	n := len(have)
	x := func(i int) int64 { return have[i] + int64(i)*gap }
	tails, prev := []int{}, make([]int, n) // last place of the best run of each length
	for i := range have {
		if !fits(have[i], i, n, gap, top) {
			continue
		}
		l := firstBelow(tails, x, x(i))
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

// firstBelow returns the first index of tails whose x is under v.
func firstBelow(tails []int, x func(int) int64, v int64) int {
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

// fits reports whether place i of n can hold v and still leave room above for
// the places before it and below for those after it.
func fits(v int64, i, n int, gap, top int64) bool {
	return v > 0 && v+int64(i)*gap <= top && v >= int64(n-i)*gap
}
