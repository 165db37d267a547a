package ridge_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/ridge"
)

// TestOneByOne: a speed of .6 measured twice, with a guess of no loss that counts as one measurement.
func TestOneByOne(t *testing.T) {
	var s ridge.Sums
	for i, want := range []float64{.2554, .3406, .3831} {
		s = s.Add([]float64{1}, -math.Log(.6), 1)
		if got := s.Solve([]float64{0}, 1)[0]; math.Abs(got-want) > 5e-5 || s.Count != float64(i+1) {
			t.Errorf("after %g: %.4f, want %.4f", s.Count, got, want)
		}
	}
	if got := s.Solve([]float64{.5}, 1)[0]; math.Abs(got-(3*-math.Log(.6)+.5)/4) > 1e-12 {
		t.Errorf("with another guess %v", got)
	}
}

// TestForgets: with half kept, the latest of two counts twice as much.
func TestForgets(t *testing.T) {
	s := ridge.Sums{}.Add([]float64{1}, 1, 1).Add([]float64{1}, 4, .5)
	if got := s.Solve([]float64{0}, 1e-9)[0]; math.Abs(got-3) > 1e-6 || s.Count != 1.5 {
		t.Errorf("%v of %v, want 3 of 1.5", got, s.Count)
	}
}

// TestLeavesOut: what is no number changes nothing.
func TestLeavesOut(t *testing.T) {
	s := ridge.Sums{}.Add([]float64{1, 0}, 1, 1)
	for name, other := range map[string]ridge.Sums{
		"no number": s.Add([]float64{math.NaN(), 0}, 1, 1),
		"infinite":  s.Add([]float64{1, 0}, math.Inf(1), 1),
	} {
		if other.Count != 1 {
			t.Errorf("%s is taken in", name)
		}
	}
	if got := s.Solve([]float64{7}, 1); got[0] != 7 {
		t.Errorf("with fewer guesses than weights %v", got)
	}
	damaged := ridge.Sums{Count: 1, XX: []float64{1}, XY: []float64{1, 2}}
	if got := damaged.Solve([]float64{7, 8}, 1); damaged.Check() == nil || s.Check() != nil || got[0] != 7 {
		t.Errorf("of damaged sums %v", got)
	}
}

// TestGrows: a weight that comes later was 0 times before, and is guessed until it is measured.
func TestGrows(t *testing.T) {
	s := ridge.Sums{}.Add([]float64{1}, 3, 1)
	if got := s.Solve([]float64{0, 5}, 1e-9); math.Abs(got[0]-3) > 1e-6 || got[1] != 5 {
		t.Errorf("%v, want 3 and 5", got)
	}
	s = s.Add([]float64{0, 1}, 4, 1).Add([]float64{1}, 3, 1)
	if got := s.Solve([]float64{0, 5}, 1e-9); math.Abs(got[0]-3) > 1e-6 || math.Abs(got[1]-4) > 1e-6 || s.Count != 3 {
		t.Errorf("%v of %v, want 3 and 4 of 3", got, s.Count)
	}
}

// TestFinds: exact measurements of drawn weights are found again, whatever the guess, and what was never measured stays as
// guessed.
func TestFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "weights")
		truth := rapid.SliceOfN(rapid.Float64Range(-2, 2), n, n).Draw(t, "truth")
		guess := rapid.SliceOfN(rapid.Float64Range(-2, 2), n+1, n+1).Draw(t, "guess")
		var s ridge.Sums
		for i := range 4 * n {
			x := make([]float64, n+1)
			copy(x, rapid.SliceOfN(rapid.Float64Range(0, 1), n, n).Draw(t, "x"))
			x[i%n] += 2
			y := 0.0
			for k, w := range truth {
				y += w * x[k]
			}
			s = s.Add(x, y, 1)
		}
		got := s.Solve(guess, 1e-9)
		for k, w := range truth {
			if math.Abs(got[k]-w) > 1e-4 {
				t.Fatalf("weight %d is %v, want %v", k, got[k], w)
			}
		}
		if got[n] != guess[n] && math.Abs(got[n]-guess[n]) > 1e-9 {
			t.Fatalf("of which nothing was measured %v, want %v", got[n], guess[n])
		}
	})
}
