package bundles_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/policy/solve/bundles"
)

// curve is an item of one resource that has so many units at first and is worth so much with those and
// with one more each.
func curve(from float64, worths ...float64) []bundles.Bundle {
	var all []bundles.Bundle
	for i, w := range worths {
		all = append(all, bundles.Bundle{Amounts: [2]float64{from + float64(i), 0}, Worth: w})
	}
	return all
}

func total(items [][]bundles.Bundle, chosen []int) (worth float64, used [2]float64) {
	for i, b := range chosen {
		worth += items[i][b].Worth
		used[0] += items[i][b].Amounts[0]
		used[1] += items[i][b].Amounts[1]
	}
	return worth, used
}

// TestFillOfThePaper: four jobs on 12 cores, of which two need one each; the worked case of Synergy.
func TestFillOfThePaper(t *testing.T) {
	items := [][]bundles.Bundle{curve(3, 1, 1.3, 1.53, 1.75, 1.9667, 2.1833, 2.4), curve(3, 1, 1.3, 1.49, 1.55), curve(1, 1), curve(1, 1)}
	chosen := bundles.Fill([2]float64{12, 1}, items, make([]int, 4))
	if want := []int{3, 1, 0, 0}; !slices.Equal(chosen, want) {
		t.Errorf("chosen %v, want %v", chosen, want)
	}
	if worth, _ := total(items, chosen); math.Abs(worth-5.05) > 1e-9 {
		t.Errorf("worth %g, want 5.05", worth)
	}
}

// draw draws items of up to four bundles each, growing in both amounts.
func draw(r *rand.Rand, n int) [][]bundles.Bundle {
	items := make([][]bundles.Bundle, n)
	for i := range items {
		b := bundles.Bundle{Amounts: [2]float64{1, 1}, Worth: r.Float64()}
		for range 1 + r.IntN(4) {
			items[i] = append(items[i], b)
			b.Amounts[0] += float64(r.IntN(4))
			b.Amounts[1] += float64(r.IntN(3))
			b.Worth += r.Float64()
		}
	}
	return items
}

// optimum tries all choices.
func optimum(capacity [2]float64, items [][]bundles.Bundle, chosen []int) float64 {
	if len(chosen) == len(items) {
		if worth, used := total(items, chosen); used[0] <= capacity[0] && used[1] <= capacity[1] {
			return worth
		}
		return math.Inf(-1)
	}
	best := math.Inf(-1)
	for k := range items[len(chosen)] {
		best = max(best, optimum(capacity, items, append(chosen[:len(chosen):len(chosen)], k)))
	}
	return best
}

// TestAgainstAllChoices: what is chosen fits, is near the optimum, and the bound is no lower than that.
func TestAgainstAllChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	var filled, priced, best float64
	for range 200 {
		items, capacity := draw(r, 6), [2]float64{float64(8 + r.IntN(20)), float64(7 + r.IntN(12))}
		want := optimum(capacity, items, nil)
		byFill := bundles.Fill(capacity, items, make([]int, 6))
		byPrice, bound := bundles.Best(capacity, items)
		a, usedA := total(items, byFill)
		b, usedB := total(items, byPrice)
		for _, used := range [][2]float64{usedA, usedB} {
			if used[0] > capacity[0] || used[1] > capacity[1] {
				t.Fatalf("%v of %v are given", used, capacity)
			}
		}
		if bound < want-1e-9 || a > want+1e-9 || b > want+1e-9 {
			t.Fatalf("the best is worth %g; filled %g, by prices %g, bound %g", want, a, b, bound)
		}
		filled, priced, best = filled+a, priced+b, best+want
	}
	t.Logf("of the best: filled %.4f, by prices %.4f", filled/best, priced/best)
	if filled < .97*best || priced < .97*best {
		t.Errorf("filled %g and by prices %g of %g", filled, priced, best)
	}
}

// TestConcaveIsExact: of one resource and concave worths, filling is the best there is.
func TestConcaveIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 5))
	for range 100 {
		items := make([][]bundles.Bundle, 5)
		for i := range items {
			steps := []float64{r.Float64(), r.Float64(), r.Float64()}
			slices.Sort(steps)
			w := r.Float64()
			items[i] = curve(1, w, w+steps[2], w+steps[2]+steps[1], w+steps[2]+steps[1]+steps[0])
		}
		capacity := [2]float64{float64(5 + r.IntN(12)), 1}
		got, _ := total(items, bundles.Fill(capacity, items, make([]int, 5)))
		if want := optimum(capacity, items, nil); math.Abs(got-want) > 1e-9 {
			t.Fatalf("filled %g, the best is %g", got, want)
		}
	}
}

// TestTooLittle: what all must have at least is given even where there is less.
func TestTooLittle(t *testing.T) {
	items := [][]bundles.Bundle{curve(3, 1, 2), curve(3, 1, 2)}
	if chosen, bound := bundles.Best([2]float64{5, 1}, items); !slices.Equal(chosen, []int{0, 0}) || !math.IsInf(bound, -1) {
		t.Errorf("chosen %v, bound %g", chosen, bound)
	}
}
