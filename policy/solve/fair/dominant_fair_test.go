package fair

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const eps = 1e-6

func drawDemands(t *rapid.T) []Demand {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Demand {
		d := Demand{Weight: rapid.Float64Range(0.5, 4).Draw(t, "weight")}
		for range 3 {
			d.NeedByResource = append(d.NeedByResource, rapid.Float64Range(0.01, 3).Draw(t, "need"))
		}
		return d
	}), 2, 6).Draw(t, "users")
}

// tasks returns how much of what user d asks it can do with a bundle.
func tasks(d Demand, bundle []float64) float64 {
	x := 1.0
	for r, n := range d.NeedByResource {
		x = min(x, bundle[r]/n)
	}
	return x
}

// bundle returns what a user holds at a dominant share, times scale.
func bundle(d Demand, share, scale float64) []float64 {
	b := make([]float64, len(d.NeedByResource))
	for r, n := range d.NeedByResource {
		b[r] = scale * share * n / DominantShare(d.NeedByResource)
	}
	return b
}

// TestDominantSharesAreFair checks what the paper proves: everybody does at
// least as well as with its part of every resource, and nobody would rather
// have another's bundle, by weight.
func TestDominantSharesAreFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := drawDemands(t)
		shares := DominantShares(users)
		sum := 0.0
		for _, u := range users {
			sum += u.Weight
		}
		for i, u := range users {
			mine := tasks(u, bundle(u, shares[i], 1))
			part := slices.Repeat([]float64{u.Weight / sum}, 3)
			if own := tasks(u, part); own > mine+eps {
				t.Fatalf("sharing incentive: user %d does %g, alone %g", i, mine, own)
			}
			for k, v := range users {
				if theirs := tasks(u, bundle(v, shares[k], u.Weight/v.Weight)); theirs > mine+eps {
					t.Fatalf("envy: user %d does %g, with the bundle of %d %g", i, mine, k, theirs)
				}
			}
		}
	})
}

// TestDominantSharesWithoutOne checks that somebody leaving lowers nobody.
func TestDominantSharesWithoutOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := drawDemands(t)
		before, after := DominantShares(users), DominantShares(users[1:])
		for i, s := range after {
			if s < before[i+1]-eps {
				t.Fatalf("user %d falls from %g to %g", i+1, before[i+1], s)
			}
		}
	})
}

// TestDominantSharesLying checks that nobody does more by asking for something
// else than it needs.
func TestDominantSharesLying(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := drawDemands(t)
		truth := users[0]
		honest := tasks(truth, bundle(truth, DominantShares(users)[0], 1))
		lie := Demand{Weight: truth.Weight}
		for range 3 {
			lie.NeedByResource = append(lie.NeedByResource, rapid.Float64Range(0.01, 3).Draw(t, "lie"))
		}
		users[0] = lie
		lying := tasks(truth, bundle(lie, DominantShares(users)[0], 1))
		if lying > honest+eps && !math.IsNaN(lying) {
			t.Fatalf("lying %v pays: %g instead of %g", lie.NeedByResource, lying, honest)
		}
	})
}
