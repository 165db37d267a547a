package fair

import (
	"cmp"
	"math"
	"slices"
)

// Tenant divides correlated resources with others: progress needs all of them
// in the proportions of ResourceMix.
type Tenant struct {
	Weight      float64   // not a positive number: receives nothing
	ResourceMix []float64 // per resource; only the proportions count
	// MaxUseByResource is the most it can use of each resource as a fraction of the capacity;
	// nil: anything.
	MaxUseByResource []float64
}

// Guarantee is what a tenant gets, per resource as a fraction of the capacity.
type Guarantee struct {
	Progress        float64   // what it holds of the resource it needs most, guaranteed
	FloorByResource []float64 // guaranteed: Progress in the proportions of ResourceMix
	CapByResource   []float64 // with what the guarantees leave over
}

// DivideByHUG divides resources in the two stages of HUG (M. Chowdhury et al.,
// NSDI 2016). First every tenant gets the same progress per weight, as much as
// possible: 1 over the largest sum of weighted mixes. One that can use less gets
// what it can use, and the others more. Then the rest of each resource is
// filled by weight among those that need it: up to what they can use if they
// cooperate; if not, none above its own progress on any resource, so that
// misstating the mix wins nothing. It takes O(K·(K+R·log K)) time.
func DivideByHUG(tenants []Tenant, cooperative bool) []Guarantee {
	got := make([]Guarantee, len(tenants))
	mixes, resources := normaliseMixes(tenants)
	giveEqualProgress(tenants, mixes, resources, got)
	for i := range got {
		got[i].FloorByResource = make([]float64, resources)
		for r, d := range mixes[i] {
			got[i].FloorByResource[r] = got[i].Progress * d
		}
		got[i].CapByResource = slices.Clone(got[i].FloorByResource)
	}
	for r := range resources {
		divideRest(tenants, mixes, r, cooperative, got)
	}
	return got
}

// normaliseMixes scales every mix so that its largest part is 1; nil for tenants
// that need or count nothing.
func normaliseMixes(tenants []Tenant) (mixes [][]float64, resources int) {
	mixes = make([][]float64, len(tenants))
	for i, t := range tenants {
		resources = max(resources, len(t.ResourceMix))
		top := DominantShare(t.ResourceMix)
		if top <= 0 || !(t.Weight > 0) || math.IsInf(t.Weight, 1) {
			continue
		}
		mixes[i] = make([]float64, len(t.ResourceMix))
		for r, d := range t.ResourceMix {
			mixes[i][r] = max(d, 0) / top
		}
	}
	return mixes, resources
}

// giveEqualProgress gives all the same per weight, and those less that can use less.
func giveEqualProgress(tenants []Tenant, mixes [][]float64, resources int, got []Guarantee) {
	held, most := make([]float64, resources), make([]float64, len(tenants))
	var open []int
	for i, mix := range mixes {
		if mix == nil {
			continue
		}
		open = append(open, i)
		most[i] = math.Inf(1)
		for r, d := range mix {
			if d > 0 && r < len(tenants[i].MaxUseByResource) {
				most[i] = min(most[i], tenants[i].MaxUseByResource[r]/d)
			}
		}
	}
	for len(open) > 0 {
		level := commonProgress(tenants, mixes, open, held)
		rest := slices.DeleteFunc(slices.Clone(open), func(i int) bool { return most[i] <= level*tenants[i].Weight })
		if len(rest) == len(open) {
			for _, i := range open {
				got[i].Progress = level * tenants[i].Weight
			}
			return
		}
		for _, i := range open {
			if most[i] <= level*tenants[i].Weight {
				got[i].Progress = most[i]
				for r, d := range mixes[i] {
					held[r] += most[i] * d
				}
			}
		}
		open = rest
	}
}

// commonProgress returns the largest progress per weight that all of open can have.
func commonProgress(tenants []Tenant, mixes [][]float64, open []int, held []float64) float64 {
	level := math.Inf(1)
	for r := range held {
		rate := 0.0
		for _, i := range open {
			if r < len(mixes[i]) {
				rate += tenants[i].Weight * mixes[i][r]
			}
		}
		if rate > 0 {
			level = min(level, max(1-held[r], 0)/rate)
		}
	}
	return level
}

// divideRest divides what the guarantees leave of a resource.
func divideRest(tenants []Tenant, mixes [][]float64, r int, cooperative bool, got []Guarantee) {
	left, claims := 1.0, make([]Claim, len(tenants))
	for i, t := range tenants {
		left -= got[i].FloorByResource[r]
		if r >= len(mixes[i]) || mixes[i][r] <= 0 {
			continue
		}
		limit := math.Inf(1)
		if r < len(t.MaxUseByResource) {
			limit = t.MaxUseByResource[r]
		}
		if !cooperative {
			limit = min(limit, got[i].Progress)
		}
		claims[i] = Claim{Weight: t.Weight, MaxUse: max(limit-got[i].FloorByResource[r], 0)}
	}
	for i, more := range WaterFill(left, claims) {
		got[i].CapByResource[r] += more
	}
}

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
