package optimus

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// least is the smallest sum of times left that any division of the devices has.
func least(claims []claim, left int) float64 {
	if len(claims) == 0 {
		return 0
	}
	best := math.Inf(1)
	for more := 0; more <= min(left, claims[0].most-claims[0].has); more++ {
		best = min(best, claims[0].secondsOn(claims[0].has+more)+least(claims[1:], left-more))
	}
	return best
}

func sum(claims []claim) (seconds float64) {
	for _, c := range claims {
		seconds += c.secondsOn(c.has)
	}
	return seconds
}

// drawClaims draws jobs of which each device more saves less than the one before.
func drawClaims(t *rapid.T) []claim {
	claims := make([]claim, rapid.IntRange(1, 4).Draw(t, "jobs"))
	for i := range claims {
		most := rapid.IntRange(1, 8).Draw(t, "most")
		savings := rapid.SliceOfN(rapid.Float64Range(0, 100), most, most).Draw(t, "savings")
		slices.Sort(savings)
		slices.Reverse(savings)
		claims[i] = claim{has: 1, most: most, weight: 1, secondsOn: func(n int) float64 {
			total := 1000.
			for _, s := range savings[:n] {
				total -= s
			}
			return total
		}}
	}
	return claims
}

// TestGreedyIsOptimal: where savings diminish, no division of the devices beats the greedy one,
// with whole steps or single ones, and no more is given out than there is.
func TestGreedyIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims, devices := drawClaims(t), rapid.IntRange(0, 8).Draw(t, "devices")
		want := least(claims, devices)
		for _, hull := range []bool{false, true} {
			given := slices.Clone(claims)
			left := divide(given, devices, hull)
			used := 0
			for i, c := range given {
				used += c.has - 1
				if c.has < 1 || c.has > claims[i].most {
					t.Fatalf("%d devices, of at most %d", c.has, claims[i].most)
				}
			}
			if used+left != devices || sum(given) > want+1e-6 {
				t.Fatalf("hull %v: %g s left in all with %d of %d devices used, want %g", hull, sum(given), used, devices, want)
			}
		}
	})
}

// TestNothingThatCosts: a device that would make a job slower is left over; with the hull, one
// that pays with the next is taken.
func TestNothingThatCosts(t *testing.T) {
	seconds := []float64{0, 100, 110, 40, 41}
	made := func() []claim {
		return []claim{{has: 1, most: 4, weight: 1, secondsOn: func(n int) float64 { return seconds[n] }}}
	}
	for hull, want := range map[bool]int{false: 1, true: 3} {
		if c := made(); divide(c, 10, hull) != 11-want || c[0].has != want {
			t.Errorf("hull %v: %d devices, want %d", hull, c[0].has, want)
		}
	}
}
