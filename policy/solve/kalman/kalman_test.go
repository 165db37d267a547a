package kalman_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/kalman"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-4 {
		t.Errorf("%s: %.5f, want %.5f", what, got, want)
	}
}

// TestOneValue: halfway between what was thought and what is read where both are as uncertain.
func TestOneValue(t *testing.T) {
	b := kalman.New([]float64{50}, []float64{100})
	b.Observe([]float64{1}, 80, 100)
	near(t, "mean", b.Mean(0), 65)
	near(t, "variance", b.Covariance(0, 0), 50)
	b.Wander(0, 10)
	near(t, "later", b.Covariance(0, 0), 60)
}

// TestSum: two values and a reading of their sum.
func TestSum(t *testing.T) {
	b := kalman.New([]float64{4, 5}, []float64{1, 1})
	b.Observe([]float64{1, 1}, 12, 1)
	near(t, "first", b.Mean(0), 5)
	near(t, "second", b.Mean(1), 6)
	near(t, "variance", b.Covariance(1, 1), 2./3)
	near(t, "covariance", b.Covariance(0, 1), -1./3)
}

// TestInvariant: counters of two devices and of the port that both go through, each with an error of
// 1: the least squares under the fact that the devices sum up to the port. Where one counter
// is missing, the fact tells it.
func TestInvariant(t *testing.T) {
	b := kalman.New([]float64{4, 5, 12}, []float64{1, 1, 1})
	b.Observe([]float64{1, 1, -1}, 0, 1e-9)
	for i, want := range []float64{5, 6, 11} {
		near(t, "with all three", b.Mean(i), want)
	}
	b = kalman.New([]float64{4, 0, 12}, []float64{1e-6, 1e6, 1e-6})
	b.Observe([]float64{1, 1, -1}, 0, 1e-9)
	near(t, "the missing one", b.Mean(1), 8)
}

func TestClamp(t *testing.T) {
	b := kalman.New([]float64{-.2, .4, 1.3}, []float64{1, 1, 1})
	b.Clamp(0, 1)
	if b.Mean(0) != 0 || b.Mean(1) != .4 || b.Mean(2) != 1 || b.Len() != 3 {
		t.Errorf("%v", b)
	}
}

// TestLaws: no variance grows by a reading; independent readings may come in any order; one whose error is huge
// changes nothing; exact ones of what is exact change nothing.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value, spread := rapid.Float64Range(-5, 5), rapid.Float64Range(.01, 9)
		mean, variance := make([]float64, 3), make([]float64, 3)
		for i := range mean {
			mean[i], variance[i] = value.Draw(t, "mean"), spread.Draw(t, "variance")
		}
		weights := [][]float64{{1, value.Draw(t, "weight"), 0}, {0, 1, value.Draw(t, "weight")}}
		readings, errors := []float64{value.Draw(t, "reading"), value.Draw(t, "reading")}, []float64{spread.Draw(t, "error"), spread.Draw(t, "error")}
		one, other, stale := kalman.New(mean, variance), kalman.New(mean, variance), kalman.New(mean, variance)
		for _, k := range []int{0, 1} {
			one.Observe(weights[k], readings[k], errors[k])
			other.Observe(weights[1-k], readings[1-k], errors[1-k])
			stale.Observe(weights[k], readings[k], 1e12)
		}
		for i := range mean {
			if one.Covariance(i, i) > variance[i]+1e-9 || one.Covariance(i, i) < 0 {
				t.Fatalf("variance %v became %v", variance[i], one.Covariance(i, i))
			}
			if math.Abs(one.Mean(i)-other.Mean(i)) > 1e-6 || math.Abs(one.Covariance(i, i)-other.Covariance(i, i)) > 1e-6 {
				t.Fatalf("%v in one order, %v in the other", one.Mean(i), other.Mean(i))
			}
			if math.Abs(stale.Mean(i)-mean[i]) > 1e-6 {
				t.Fatalf("a stale reading moves %v to %v", mean[i], stale.Mean(i))
			}
		}
		exact := kalman.New(mean, []float64{0, 0, 0})
		exact.Observe(weights[0], readings[0], 0)
		if exact.Mean(0) != mean[0] {
			t.Fatal("what is certain changed")
		}
	})
}
