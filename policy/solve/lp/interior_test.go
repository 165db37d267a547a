package lp_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/lp"
)

func drawFractions(t *rapid.T) *lp.SingleCapacity {
	f := &lp.SingleCapacity{Capacity: rapid.Float64Range(2, 200).Draw(t, "capacity"), MaximizesMinSpeed: rapid.Bool().Draw(t, "level")}
	for range rapid.IntRange(1, 30).Draw(t, "n") {
		f.Sizes = append(f.Sizes, float64(rapid.SampledFrom([]int{1, 1, 2, 4, 8}).Draw(t, "size")))
		f.Speeds = append(f.Speeds, rapid.Float64Range(0.1, 20).Draw(t, "speed"))
		f.MinSpeeds = append(f.MinSpeeds, rapid.Float64Range(0, 0.9).Draw(t, "least")*f.Speeds[len(f.Speeds)-1])
	}
	return f
}

// level is the highest level, in closed form: use rises with it in a straight
// line until the first x is 1.
func level(f *lp.SingleCapacity) float64 {
	cost, most := 0.0, math.Inf(1)
	for i, v := range f.Speeds {
		cost += f.Sizes[i] / v
		most = min(most, v)
	}
	return min(most, f.Capacity/cost)
}

func TestFractionsAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFractions(t)
		want, use := level(f), 0.0
		for i := range f.Sizes {
			use += f.Sizes[i] * f.MinSpeeds[i] / f.Speeds[i]
		}
		if !f.MaximizesMinSpeed && use > 0.999*f.Capacity {
			if x, ok := f.Solve(); ok && use > 1.001*f.Capacity {
				t.Fatalf("%v is no answer: %g of %g are needed", x, use, f.Capacity)
			}
			return
		}
		x, ok := f.Solve()
		if !ok {
			t.Fatal("no answer")
		}
		use = 0
		for i, v := range x {
			least := f.MinSpeeds[i]
			if f.MaximizesMinSpeed {
				least = want
			}
			if v < 0 || v > 1 || v*f.Speeds[i] < least*(1-1e-4)-1e-5 {
				t.Fatalf("x[%d] = %g reaches %g, want %g", i, v, v*f.Speeds[i], least)
			}
			use += v * f.Sizes[i]
		}
		if use > f.Capacity*(1+1e-5) {
			t.Fatalf("%g of %g used", use, f.Capacity)
		}
	})
}

// Alike parties get alike fractions, and where there is no reason to stay near
// a bound the answer does not.
func TestFractionsAreInside(t *testing.T) {
	f := &lp.SingleCapacity{Capacity: 3, Sizes: []float64{1, 1, 2, 2}, Speeds: []float64{1, 1, 2, 2}, MaximizesMinSpeed: true}
	x, ok := f.Solve()
	if !ok || math.Abs(x[0]-x[1]) > 1e-9 || math.Abs(x[2]-x[3]) > 1e-9 {
		t.Fatalf("%v, %v", x, ok)
	}
	f = &lp.SingleCapacity{Capacity: 10, Sizes: []float64{1, 1}, Speeds: []float64{1, 1}, MinSpeeds: []float64{0.2, 0.2}}
	if x, ok = f.Solve(); !ok || x[0] < 0.3 || x[0] > 0.9 {
		t.Fatalf("%v, %v", x, ok)
	}
}

func BenchmarkFractions(b *testing.B) {
	f := &lp.SingleCapacity{Capacity: 4096, MaximizesMinSpeed: true}
	for i := range 10000 {
		f.Sizes, f.Speeds = append(f.Sizes, float64(int(1)<<(i%4))), append(f.Speeds, 3+math.Sin(float64(i)))
	}
	for b.Loop() {
		if _, ok := f.Solve(); !ok {
			b.Fatal("no answer")
		}
	}
}
