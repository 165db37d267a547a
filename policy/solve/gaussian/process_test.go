package gaussian_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/gaussian"
)

// TestTwoMeasurements: a speed of 1 on one GPU and of 2.5 on four, brought to -1 and +1, by the logarithm of GPUs: eight
// are to be tried next.
func TestTwoMeasurements(t *testing.T) {
	p, err := gaussian.Fit(gaussian.Kernel{Length: 1, Sigma: 1}, []float64{0, 2}, []float64{-1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ x, mean, sigma, gain float64 }{{1, 1.75, .445, .0084}, {3, 2.267, .594, .138}, {4, 1.867, .743, .081}} {
		mean, sigma := p.At(c.x)
		mean, sigma = 1.75+.75*mean, .75*sigma
		gain := gaussian.ExpectedImprovement(mean, sigma, 2.5, 0)
		for _, v := range [][2]float64{{mean, c.mean}, {sigma, c.sigma}, {gain, c.gain}} {
			if math.Abs(v[0]-v[1]) > 1e-3 {
				t.Errorf("at %v: %.4f, %.4f and %.4f; want %v, %v and %v", c.x, mean, sigma, gain, c.mean, c.sigma, c.gain)
				break
			}
		}
	}
}

// TestNothingMeasured: it is as thought before.
func TestNothingMeasured(t *testing.T) {
	p, err := gaussian.Fit(gaussian.Kernel{Length: 1, Sigma: 2}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if mean, sigma := p.At(3); mean != 0 || sigma != 2 || p.LogLikelihood() != 0 {
		t.Errorf("%v with an error of %v", mean, sigma)
	}
}

// TestLaws: measurements without noise are known, and nothing is to be gained there; noise makes errors larger; measurements never
// make them larger than before; what is likelier fits better.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "measurements")
		xs, ys := make([]float64, n), make([]float64, n)
		best := math.Inf(-1)
		for i := range xs {
			xs[i], ys[i] = float64(i)+rapid.Float64Range(-.2, .2).Draw(t, "x"), rapid.Float64Range(-2, 2).Draw(t, "y")
			best = max(best, ys[i])
		}
		exact, err := gaussian.Fit(gaussian.Kernel{Length: 1, Sigma: 1}, xs, ys)
		if err != nil {
			t.Fatal(err)
		}
		noisy, err := gaussian.Fit(gaussian.Kernel{Length: 1, Sigma: 1, Noise: .3}, xs, ys)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range xs {
			mean, sigma := exact.At(x)
			if math.Abs(mean-ys[i]) > 1e-4 || sigma > 1e-4 || gaussian.ExpectedImprovement(mean, sigma, best, 0) > 1e-3 {
				t.Fatalf("at a measurement %v with an error of %v, want %v", mean, sigma, ys[i])
			}
		}
		x := rapid.Float64Range(-3, 9).Draw(t, "at")
		mean, sigma := exact.At(x)
		if _, more := noisy.At(x); more < sigma-1e-6 || more > 1+1e-9 {
			t.Fatalf("an error of %v with noise, %v without", more, sigma)
		}
		if gain := gaussian.ExpectedImprovement(mean, sigma, best, .01); gain < 0 || math.IsNaN(gain) {
			t.Fatalf("expects an improvement of %v", gain)
		}
	})
	flat, _ := gaussian.Fit(gaussian.Kernel{Length: 1, Sigma: 1, Noise: .1}, []float64{0, 1, 2}, []float64{.1, .1, .1})
	wild, _ := gaussian.Fit(gaussian.Kernel{Length: 1, Sigma: 1, Noise: .1}, []float64{0, 1, 2}, []float64{2, -2, 2})
	if flat.LogLikelihood() <= wild.LogLikelihood() {
		t.Error("wild measurements are as likely as flat ones")
	}
}
