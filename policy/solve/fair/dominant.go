package fair

import (
	"cmp"
	"math"
	"slices"
)

// Demand is what one user would take if it could have everything it asks for.
type Demand struct {
	Weight float64   // not a positive number: receives nothing
	Need   []float64 // per resource, as a fraction of the capacity
}

// DominantShare returns the largest entry of need: the dominant share of a user
// that holds it.
func DominantShare(need []float64) float64 {
	d := 0.0
	for _, n := range need {
		d = max(d, n)
	}
	return d
}

// DominantShares returns the dominant share of every user under weighted
// dominant resource fairness with divisible demands: the unique max-min fair
// point, by progressive filling over events (a user has all it asks for, or a
// resource is exhausted). With U users and R resources it takes
// O(U log U + U·R²) time.
func DominantShares(users []Demand) []float64 {
	f := newFilling(users)
	for len(f.order) > 0 {
		level, resource := f.exhausted()
		u := f.order[0]
		if full := f.dominantShares[u] / users[u].Weight; full <= level {
			f.freeze(u, f.dominantShares[u])
			f.order = f.order[1:]
			continue
		}
		f.freezeAll(level, resource)
	}
	return f.share
}

// filling is the state of a progressive filling: users in order of the level
// at which they are satisfied, and per resource what the frozen users hold and
// how fast the others fill it.
type filling struct {
	users          []Demand
	dominantShares []float64
	share          []float64
	order          []int
	held           []float64
	rate           []float64
	takers         []int // unfrozen users that need the resource
}

func newFilling(users []Demand) *filling {
	f := &filling{users: users, dominantShares: make([]float64, len(users)), share: make([]float64, len(users))}
	for i, u := range users {
		f.dominantShares[i] = DominantShare(u.Need)
		for len(f.rate) < len(u.Need) {
			f.rate, f.held, f.takers = append(f.rate, 0), append(f.held, 0), append(f.takers, 0)
		}
		if !(u.Weight > 0) || math.IsInf(u.Weight, 1) || f.dominantShares[i] <= 0 {
			continue
		}
		f.order = append(f.order, i)
		for r, n := range u.Need {
			if n > 0 {
				f.rate[r] += u.Weight * n / f.dominantShares[i]
				f.takers[r]++
			}
		}
	}
	full := func(i int) float64 { return f.dominantShares[i] / users[i].Weight }
	slices.SortFunc(f.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(full(a), full(b)), cmp.Compare(a, b))
	})
	return f
}

// exhausted returns the lowest level at which a resource runs out, and which.
func (f *filling) exhausted() (level float64, resource int) {
	level, resource = math.Inf(1), -1
	for r, rate := range f.rate {
		if f.takers[r] == 0 || rate <= 0 {
			continue
		}
		if l := max(1-f.held[r], 0) / rate; l < level {
			level, resource = l, r
		}
	}
	return level, resource
}

// freeze leaves user u at share.
func (f *filling) freeze(u int, share float64) {
	f.share[u] = share
	for r, n := range f.users[u].Need {
		if n > 0 {
			f.held[r] += share * n / f.dominantShares[u]
			f.rate[r] -= f.users[u].Weight * n / f.dominantShares[u]
			f.takers[r]--
		}
	}
}

// freezeAll freezes all who need the exhausted resource at the level.
func (f *filling) freezeAll(level float64, resource int) {
	f.order = slices.DeleteFunc(f.order, func(u int) bool {
		need := f.users[u].Need
		if resource >= len(need) || need[resource] <= 0 {
			return false
		}
		f.freeze(u, level*f.users[u].Weight)
		return true
	})
}
