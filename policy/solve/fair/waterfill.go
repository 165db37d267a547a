package fair

import (
	"cmp"
	"math"
	"slices"
)

// Claim is one party to a division: how much it counts and the most it can
// use. A weight that is not a positive number counts as nothing and receives
// nothing; MaxUseByResource may be infinite.
type Claim struct {
	Weight float64
	MaxUse float64
}

// WaterFill divides capacity so that the smallest amount per weight is as
// large as possible, then the second smallest, and so on (weighted max-min).
// No party receives more than its MaxUseByResource; what it leaves goes to the others. The
// result is in the order of the claims. It takes O(n log n) time.
func WaterFill(capacity float64, claims []Claim) []float64 {
	got := make([]float64, len(claims))
	weight := 0.0
	order := make([]int, 0, len(claims))
	for i, c := range claims {
		if c.Weight > 0 && !math.IsInf(c.Weight, 1) && c.MaxUse > 0 {
			order = append(order, i)
			weight += c.Weight
		}
	}
	full := func(i int) float64 { return claims[i].MaxUse / claims[i].Weight }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(full(a), full(b)), cmp.Compare(a, b))
	})
	left := max(capacity, 0)
	for k, i := range order {
		c := claims[i]
		if k == len(order)-1 {
			weight = c.Weight // what subtraction left of the sum is not exact
		}
		got[i] = min(c.MaxUse, left*c.Weight/weight)
		left = max(left-got[i], 0)
		weight -= c.Weight
	}
	return got
}
