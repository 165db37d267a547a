package estimate_test

import (
	"math"
	"testing"
	"time"

	"fairbridge/bridge/estimate"
)

// band is one that was made at noon.
func band(early, middle, late time.Duration) estimate.Band {
	return estimate.Band{Early: noon.Add(early), Middle: noon.Add(middle), Late: noon.Add(late)}
}

// The edges of a band are its quantiles; beyond them the chance goes to its bounds, and never falls with time.
func TestChanceOfBands(t *testing.T) {
	b := band(time.Hour, 2*time.Hour, 6*time.Hour)
	for by, want := range map[time.Duration]float64{-time.Minute: .05, 0: .05, time.Hour: .1, 2 * time.Hour: .5, 6 * time.Hour: .9, 1000 * time.Hour: .95} {
		if got := b.ChanceBy(noon, noon.Add(by)); math.Abs(got-want) > 1e-6 {
			t.Errorf("within %v: %v, want %v", by, got, want)
		}
	}
	last := 0.
	for by := range 600 {
		at := noon.Add(time.Duration(by) * time.Minute)
		got := b.ChanceBy(noon, at)
		if got < last {
			t.Fatalf("within %d min: %v, before that %v", by, got, last)
		}
		if last = got; got >= .5 && got < .945 {
			if back := b.TimeOfChance(noon, got); back.Sub(at).Abs() > time.Minute {
				t.Errorf("a chance of %v is reached at %v, not %v", got, back.Sub(noon), at.Sub(noon))
			}
		}
	}
	sure := band(time.Hour, time.Hour, time.Hour)
	if a, z := sure.ChanceBy(noon, noon.Add(59*time.Minute)), sure.ChanceBy(noon, noon.Add(65*time.Minute)); a > .1 || z < .9 {
		t.Errorf("of a moment that is known: %v before, %v after", a, z)
	}
}
