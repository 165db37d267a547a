package lp_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/lp"
)

func drawFractions(t *rapid.T) *lp.SingleKind {
	f := &lp.SingleKind{Capacity: rapid.Float64Range(2, 200).Draw(t, "capacity"), Level: rapid.Bool().Draw(t, "level")}
	for range rapid.IntRange(1, 30).Draw(t, "n") {
		f.Size = append(f.Size, float64(rapid.SampledFrom([]int{1, 1, 2, 4, 8}).Draw(t, "size")))
		f.Speed = append(f.Speed, rapid.Float64Range(0.1, 20).Draw(t, "speed"))
		f.Least = append(f.Least, rapid.Float64Range(0, 0.9).Draw(t, "least")*f.Speed[len(f.Speed)-1])
	}
	return f
}

// level is the highest level, in closed form: use rises with it in a straight
// line until the first x is 1.
func level(f *lp.SingleKind) float64 {
	cost, most := 0.0, math.Inf(1)
	for i, v := range f.Speed {
		cost += f.Size[i] / v
		most = min(most, v)
	}
	return min(most, f.Capacity/cost)
}

func TestFractionsAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFractions(t)
		want, use := level(f), 0.0
		for i := range f.Size {
			use += f.Size[i] * f.Least[i] / f.Speed[i]
		}
		if !f.Level && use > 0.999*f.Capacity {
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
			least := f.Least[i]
			if f.Level {
				least = want
			}
			if v < 0 || v > 1 || v*f.Speed[i] < least*(1-1e-4)-1e-5 {
				t.Fatalf("x[%d] = %g reaches %g, want %g", i, v, v*f.Speed[i], least)
			}
			use += v * f.Size[i]
		}
		if use > f.Capacity*(1+1e-5) {
			t.Fatalf("%g of %g used", use, f.Capacity)
		}
	})
}

// Alike parties get alike fractions, and where there is no reason to stay near
// a bound the answer does not.
func TestFractionsAreInside(t *testing.T) {
	f := &lp.SingleKind{Capacity: 3, Size: []float64{1, 1, 2, 2}, Speed: []float64{1, 1, 2, 2}, Level: true}
	x, ok := f.Solve()
	if !ok || math.Abs(x[0]-x[1]) > 1e-9 || math.Abs(x[2]-x[3]) > 1e-9 {
		t.Fatalf("%v, %v", x, ok)
	}
	f = &lp.SingleKind{Capacity: 10, Size: []float64{1, 1}, Speed: []float64{1, 1}, Least: []float64{0.2, 0.2}}
	if x, ok = f.Solve(); !ok || x[0] < 0.3 || x[0] > 0.9 {
		t.Fatalf("%v, %v", x, ok)
	}
}

func BenchmarkFractions(b *testing.B) {
	f := &lp.SingleKind{Capacity: 4096, Level: true}
	for i := range 10000 {
		f.Size, f.Speed = append(f.Size, float64(int(1)<<(i%4))), append(f.Speed, 3+math.Sin(float64(i)))
	}
	for b.Loop() {
		if _, ok := f.Solve(); !ok {
			b.Fatal("no answer")
		}
	}
}
