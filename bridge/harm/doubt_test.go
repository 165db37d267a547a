package harm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestStudentQuantile compares with tables of Student's distribution.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct{ p, freedom, want float64 }{
		{.05, 1e9, 1.6449}, {.05, 10, 1.8125}, {.025, 5, 2.5706}, {.001, 10, 4.1437}, {.001, 30, 3.3852}, {.0005, 20, 3.8495},
	} {
		if got := studentQuantile(c.p, c.freedom); math.Abs(got-c.want) > .004*c.want {
			t.Errorf("of %g with %g degrees of freedom: %g, want %g", c.p, c.freedom, got, c.want)
		}
	}
}

// TestChanceIsNoHarm draws days that are as under Slurm alone: where a look at a figure may err once in twenty, it
// does, though the deviation is known from few simulations.
func TestChanceIsNoHarm(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	const days = 20_000
	for _, n := range []int{5, 20} {
		beyond := 0
		for range days {
			values, mean, deviation := make([]float64, n), 0.0, 0.0
			for i := range values {
				values[i] = dice.NormFloat64()
				mean += values[i] / float64(n)
			}
			for _, v := range values {
				deviation += (v - mean) * (v - mean) / float64(n-1)
			}
			if dice.NormFloat64()-mean > bandOf(math.Sqrt(deviation), n, .05) {
				beyond++
			}
		}
		if share := float64(beyond) / days; share > .056 || share < .044 {
			t.Errorf("of %d simulations: %g of the days were beyond", n, share)
		}
	}
}

// TestBandOf: it is about seven deviations of the 20 simulations that a check makes by default, and more of fewer.
func TestBandOf(t *testing.T) {
	if got := BandOf(1, 20); got < 6.5 || got > 8 {
		t.Errorf("%g", got)
	}
	if few, many := BandOf(1, 8), BandOf(1, 40); few < 1.3*many {
		t.Errorf("of few simulations %g, of many %g", few, many)
	}
	if got := BandOf(0, 20); got != 0 {
		t.Errorf("of nothing: %g", got)
	}
}
