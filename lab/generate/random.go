package generate

import (
	"math"
	"math/rand/v2"
)

// Streams of chance: what one decides leaves the others alone.
const (
	jobRandomStream uint64 = iota + 1
	arrivalRandomStream
	peopleRandomStream
	deadlineRandomStream
)

func newRandom(seed int64, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(seed), stream))
}

// pickIndex draws an index with the given weights.
func pickIndex(r *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at := r.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// drawUniform draws evenly.
func drawUniform(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

// drawLogNormal draws with a median and a spread in natural logarithms, within
// bounds: what lies outside is drawn again.
func drawLogNormal(r *rand.Rand, median, sigma, low, high float64) float64 {
	for {
		if v := median * math.Exp(sigma*r.NormFloat64()); v >= low && v <= high {
			return v
		}
	}
}

// distribution is a distribution function, ascending: the share of values up to At.
type distribution []struct{ at, share float64 }

// valueAt returns the quantile u, interpolated on a logarithmic scale.
func (c distribution) valueAt(u float64) float64 {
	for i := 1; i < len(c); i++ {
		if a, b := c[i-1], c[i]; u <= b.share {
			part := max(u-a.share, 0) / (b.share - a.share)
			return a.at * math.Pow(b.at/a.at, part)
		}
	}
	return c[len(c)-1].at
}

// shareBelow is the opposite of valueAt: the share of values up to x.
func (c distribution) shareBelow(x float64) float64 {
	for i := 1; i < len(c); i++ {
		if a, b := c[i-1], c[i]; x <= b.at {
			return a.share + (b.share-a.share)*max(math.Log(x/a.at)/math.Log(b.at/a.at), 0)
		}
	}
	return 1
}

// orDefault returns v, or the default where v is zero.
func orDefault[T int | float64](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// roundUpSeconds rounds a time up to whole seconds, at least one.
func roundUpSeconds(v float64) float64 { return max(math.Ceil(v), 1) }
