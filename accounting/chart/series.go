package chart

import (
	"maps"
	"math"
	"slices"
)

// point is one corner of a line.
type point struct{ x, y float64 }

// maxPointsPerLine are how many points a line has at most: as many as one can see.
const maxPointsPerLine = 240

// drawnDistribution is the cumulative distribution; not finite values count, but are not drawn.
func drawnDistribution(values []float64) []point {
	return slices.DeleteFunc(cumulativeDistribution(values, maxPointsPerLine), func(p point) bool {
		return math.IsInf(p.x, 0) || math.IsNaN(p.x)
	})
}

// cumulativeDistribution returns the cumulative distribution of the values: y is the share of them that are at most x.
// It has at most so many points, evenly by y, the first and the last among them.
func cumulativeDistribution(values []float64, points int) []point {
	sorted := slices.Sorted(slices.Values(values))
	n := min(max(points, 2), len(sorted))
	curve := make([]point, n)
	for i := range curve {
		k := len(sorted) - 1
		if n > 1 {
			k = i * (len(sorted) - 1) / (n - 1)
		}
		curve[i] = point{sorted[k], float64(k+1) / float64(len(sorted))}
	}
	return curve
}

// pointsOverTime returns the mean of a figure of the samples in each of maxPointsPerLine equal
// stretches of time up to the end.
func pointsOverTime(samples []Sample, end float64, of func(*Sample) float64) []point {
	if !(end > 0) || len(samples) == 0 {
		return nil
	}
	sums := make([]float64, maxPointsPerLine)
	width := end / maxPointsPerLine
	for i := range samples {
		from, to := samples[i].AtSeconds, end
		if i+1 < len(samples) {
			to = min(samples[i+1].AtSeconds, end)
		}
		addToBins(sums, width, from, to, of(&samples[i]))
	}
	line := make([]point, maxPointsPerLine)
	for k, sum := range sums {
		line[k] = point{(float64(k) + 0.5) * width, sum / width}
	}
	return line
}

// addToBins adds a value that holds from one time to another to the stretches.
func addToBins(sums []float64, width, from, to, value float64) {
	for k := max(int(from/width), 0); k < len(sums) && float64(k)*width < to; k++ {
		held := min(to, float64(k+1)*width) - max(from, float64(k)*width)
		sums[k] += value * max(held, 0)
	}
}

// accountSharesWhileQueued is the share of the GPU time given out while jobs queued that each
// account had.
func accountSharesWhileQueued(samples []Sample) map[string]float64 {
	shares, sum := map[string]float64{}, 0.0
	for i := range len(samples) - 1 {
		if s := &samples[i]; s.QueuedJobs > 0 {
			for account, gpus := range s.GPUsByAccount {
				shares[account] += gpus * (samples[i+1].AtSeconds - s.AtSeconds)
			}
		}
	}
	for _, account := range slices.Sorted(maps.Keys(shares)) {
		sum += shares[account]
	}
	for account := range shares {
		shares[account] /= max(sum, math.SmallestNonzeroFloat64)
	}
	return shares
}

// quantileOf returns the value below which the share of the values lies; NaN of
// none.
func quantileOf(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// median of values in any order; 0 of none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
