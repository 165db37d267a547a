package fair

import (
	"cmp"
	"math"
	"slices"
)

// Demand is what one user would take if it could have everything it asks for.
type Demand struct {
	Weight         float64   // not a positive number: receives nothing
	NeedByResource []float64 // per resource, as a fraction of the capacity
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
	f := newProgressiveFilling(users)
	for len(f.unfrozenUsers) > 0 {
		level, resource := f.nextExhausted()
		u := f.unfrozenUsers[0]
		if full := f.fullShares[u] / users[u].Weight; full <= level {
			f.freezeUser(u, f.fullShares[u])
			f.unfrozenUsers = f.unfrozenUsers[1:]
			continue
		}
		f.freezeUsersOf(level, resource)
	}
	return f.shares
}

// progressiveFilling is the state of a progressive filling: users in order of the level
// at which they are satisfied, and per resource what the frozen users hold and
// how fast the others fill it.
type progressiveFilling struct {
	users          []Demand
	fullShares     []float64
	shares         []float64
	unfrozenUsers  []int
	heldByResource []float64
	fillRates      []float64
	takerCounts    []int // unfrozen users that need the resource
}

func newProgressiveFilling(users []Demand) *progressiveFilling {
	f := &progressiveFilling{users: users, fullShares: make([]float64, len(users)), shares: make([]float64, len(users))}
	for i, u := range users {
		f.fullShares[i] = DominantShare(u.NeedByResource)
		for len(f.fillRates) < len(u.NeedByResource) {
			f.fillRates, f.heldByResource, f.takerCounts = append(f.fillRates, 0), append(f.heldByResource, 0), append(f.takerCounts, 0)
		}
		if !(u.Weight > 0) || math.IsInf(u.Weight, 1) || f.fullShares[i] <= 0 {
			continue
		}
		f.unfrozenUsers = append(f.unfrozenUsers, i)
		for r, n := range u.NeedByResource {
			if n > 0 {
				f.fillRates[r] += u.Weight * n / f.fullShares[i]
				f.takerCounts[r]++
			}
		}
	}
	full := func(i int) float64 { return f.fullShares[i] / users[i].Weight }
	slices.SortFunc(f.unfrozenUsers, func(a, b int) int {
		return cmp.Or(cmp.Compare(full(a), full(b)), cmp.Compare(a, b))
	})
	return f
}

// nextExhausted returns the lowest level at which a resource runs out, and which.
func (f *progressiveFilling) nextExhausted() (level float64, resource int) {
	level, resource = math.Inf(1), -1
	for r, rate := range f.fillRates {
		if f.takerCounts[r] == 0 || rate <= 0 {
			continue
		}
		if l := max(1-f.heldByResource[r], 0) / rate; l < level {
			level, resource = l, r
		}
	}
	return level, resource
}

// freezeUser leaves user u at share.
func (f *progressiveFilling) freezeUser(u int, share float64) {
	f.shares[u] = share
	for r, n := range f.users[u].NeedByResource {
		if n > 0 {
			f.heldByResource[r] += share * n / f.fullShares[u]
			f.fillRates[r] -= f.users[u].Weight * n / f.fullShares[u]
			f.takerCounts[r]--
		}
	}
}

// freezeUsersOf freezes all who need the exhausted resource at the level.
func (f *progressiveFilling) freezeUsersOf(level float64, resource int) {
	f.unfrozenUsers = slices.DeleteFunc(f.unfrozenUsers, func(u int) bool {
		need := f.users[u].NeedByResource
		if resource >= len(need) || need[resource] <= 0 {
			return false
		}
		f.freezeUser(u, level*f.users[u].Weight)
		return true
	})
}
