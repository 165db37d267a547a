package chart

import (
	"maps"
	"math"
	"slices"

	"fairbridge/bridge/study/measure"
)

// point is one corner of a line.
type point struct{ x, y float64 }

// maxPointsPerLine are how many points a line has at most: as many as one can see.
const maxPointsPerLine = 240

// cumulativeDistribution returns the share of values up to each; not finite ones count, but are not
// drawn.
func cumulativeDistribution(values []float64) []point {
	var line []point
	for _, p := range measure.CumulativeDistribution(values, maxPointsPerLine) {
		if !math.IsInf(p.X, 0) && !math.IsNaN(p.X) {
			line = append(line, point{p.X, p.Y})
		}
	}
	return line
}

// pointsOverTime returns the mean of a figure of the samples in each of maxPointsPerLine equal
// stretches of time up to the end.
func pointsOverTime(samples []measure.ClusterSample, end float64, of func(*measure.ClusterSample) float64) []point {
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
func accountSharesWhileQueued(samples []measure.ClusterSample) map[string]float64 {
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
