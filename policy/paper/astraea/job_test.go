package astraea

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDiscretise(t *testing.T) {
	ratios := []float64{0, .1, .3, .5, .8, 1, 1.25, 2, 5}
	for i, want := range []int{0, 1, 1, 2, 2, 3, 4, 4, 5} {
		if got := discretiseFairness(ratios[i], 5); got != want {
			t.Errorf("discretise(%g) = %d, want %d", ratios[i], got, want)
		}
	}
}

func TestDiscretiseIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 20).Draw(t, "k")
		a, b := rapid.Float64Range(0, 100).Draw(t, "a"), rapid.Float64Range(0, 100).Draw(t, "b")
		if lo, hi := discretiseFairness(min(a, b), k), discretiseFairness(max(a, b), k); lo > hi || lo < 0 || hi > k {
			t.Fatalf("level %d at %g, %d at %g", lo, min(a, b), hi, max(a, b))
		}
	})
}
