package flowtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// options are those of 1 to most by a speed.
func options(most int, speed func(float64) float64) []Option {
	var all []Option
	for k := 1; k <= most; k++ {
		all = append(all, Option{float64(k), speed(float64(k))})
	}
	return all
}

// repeat is so many jobs that are alike.
func repeat(n int, options []Option) [][]Option {
	all := make([][]Option, n)
	for i := range all {
		all[i] = options
	}
	return all
}

func checkWorths(t *testing.T, got []float64, want func(rank float64) float64, tolerance float64) {
	t.Helper()
	for i, w := range got {
		if exact := want(float64(i + 1)); math.Abs(w/exact-1) > tolerance {
			t.Errorf("number %d: %g, want %g", i+1, w, exact)
		}
	}
}

// TestPowers: speeds k^p give the weights of heSRPT.
func TestPowers(t *testing.T) {
	for _, p := range []float64{.3, .5, .7} {
		const capacity = 2000
		q := 1 / (1 - p)
		got := Worths(capacity, repeat(8, options(capacity, func(k float64) float64 { return math.Pow(k, p) })))
		checkWorths(t, got, func(rank float64) float64 {
			return math.Pow(math.Pow(rank, q)-math.Pow(rank-1, q), 1/q) / math.Pow(capacity, p)
		}, .02)
	}
}

// TestExtremes: by speeds in proportion work is worth the number of those who wait for it, with
// enough for all each counts by its greatest speed, and what never gets on is worth nothing.
func TestExtremes(t *testing.T) {
	checkWorths(t, Worths(16, repeat(6, options(16, func(k float64) float64 { return 3 * k }))), func(rank float64) float64 { return rank / 48 }, 1e-9)
	checkWorths(t, Worths(64, repeat(4, []Option{{1, 5}, {16, 20}})), func(float64) float64 { return 1. / 20 }, 1e-9)
	got := Worths(4, [][]Option{{{2, 1}}, nil, {{1, 0}}, {{2, 4}}})
	if want := "[1.00 0.00 0.00 0.25]"; fmt.Sprintf("%.2f", got) != want {
		t.Errorf("%.2f, want %s", got, want)
	}
	if got := Worths(0, repeat(2, []Option{{1, 1}})); slices.Contains(got, 0) || math.IsInf(got[0]+got[1], 0) || math.IsNaN(got[0]+got[1]) {
		t.Errorf("without any capacity: %v, want numbers", got)
	}
	with, alone := Worths(8, [][]Option{{{1, 1e-320}}, {{1, 1}, {2, 1.5}}}), Worths(8, [][]Option{nil, {{1, 1}, {2, 1.5}}})
	if with[0] != 0 || fmt.Sprintf("%.2f", with[1]) == "0.00" || fmt.Sprintf("%.2f", with[1]) == "NaN" {
		t.Errorf("beside one that all but stands still: %v, want about %v", with, alone)
	}
}

// TestAllDoWhatIsWaited: on drawn curves the best division is worth, after each job, as many
// seconds as jobs wait.
func TestAllDoWhatIsWaited(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		capacity, jobs := 20+r.IntN(60), make([][]Option, 1+r.IntN(12))
		for i := range jobs {
			p, least := .2+.7*r.Float64(), .1+10*r.Float64()
			jobs[i] = options(1+r.IntN(capacity), func(k float64) float64 { return least * math.Pow(k, p) })
		}
		worths := Worths(float64(capacity), jobs)
		best := make([]float64, capacity+1) // by units
		for i, all := range jobs {
			next := slices.Clone(best)
			for c := range next {
				for _, o := range all {
					if k := int(o.Amount); k <= c {
						next[c] = max(next[c], best[c-k]+worths[i]*o.Speed)
					}
				}
			}
			best = next
			if want := float64(i + 1); math.Abs(best[capacity]/want-1) > .02 {
				t.Errorf("after %d jobs on %d: %g, want %g", i+1, capacity, best[capacity], want)
			}
		}
	}
}
