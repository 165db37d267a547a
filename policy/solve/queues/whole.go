package queues

import (
	"cmp"
	"slices"
)

// roundingError is what a share may lack of a whole number and still be it.
const roundingError = 1e-9

// Whole turns shares into whole units: each claim gets the most it can have within its share,
// then those that are nearest to their next number get it, then the first in order what is
// left. next returns the smallest number above one that a claim can have; 0: none. A claim for
// all or nothing has one such number.
func Whole(total int, shares []float64, next func(claim, units int) int) []int {
	given, order := make([]int, len(shares)), make([]int, len(shares))
	left := total
	for i, share := range shares {
		order[i] = i
		for n := next(i, 0); n > 0 && float64(n) <= share+roundingError && n-given[i] <= left; n = next(i, n) {
			left -= n - given[i]
			given[i] = n
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b]-float64(given[b]), shares[a]-float64(given[a])) })
	for _, i := range order {
		if n := next(i, given[i]); shares[i] > float64(given[i])+roundingError && n > 0 && n-given[i] <= left {
			left -= n - given[i]
			given[i] = n
		}
	}
	for i := range shares {
		for n := next(i, given[i]); n > 0 && n-given[i] <= left; n = next(i, n) {
			left -= n - given[i]
			given[i] = n
		}
	}
	return given
}
