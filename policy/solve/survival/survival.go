// Package survival answers from a sample of sizes when something that has received
// so much already will end.
package survival

import (
	"math"
	"slices"
)

// SizeSample is a sample of job sizes (seconds, GPU-seconds, …) in ascending order,
// with which questions about jobs that have already received something are
// answered. The zero value knows nothing.
type SizeSample struct {
	sortedSizes []float64
	prefixSums  []float64 // by number of sizes: the sum of the smallest ones
}

// NewSizeSample returns the sample; values that are no numbers are left out.
func NewSizeSample(values []float64) SizeSample {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(v)
	sum := make([]float64, len(v)+1)
	for i, x := range v {
		sum[i+1] = sum[i] + x
	}
	return SizeSample{v, sum}
}

// Len returns the number of values.
func (s SizeSample) Len() int { return len(s.sortedSizes) }

// Quantile returns the value below or at which a fraction q of the sample
// lies (nearest rank); ok is false for an empty sample.
func (s SizeSample) Quantile(q float64) (value float64, ok bool) {
	n := len(s.sortedSizes)
	if n == 0 {
		return 0, false
	}
	rank := int(math.Ceil(q * float64(n)))
	return s.sortedSizes[min(max(rank, 1), n)-1], true
}

// ChanceToEndWithin returns the chance that a size above had is at most had+more, and the
// amount still to be spent on average if one stops after more. Both are zero
// when no size lies above had.
func (s SizeSample) ChanceToEndWithin(had, more float64) (chance, spent float64) {
	from := s.indexAbove(had)
	if from == len(s.sortedSizes) || more <= 0 {
		return 0, 0
	}
	to := max(s.indexAbove(had+more), from)
	alive, done := float64(len(s.sortedSizes)-from), float64(to-from)
	spent = s.prefixSums[to] - s.prefixSums[from] - done*had + (alive-done)*more
	return done / alive, spent / alive
}

// indexAbove returns the position of the first value greater than v.
func (s SizeSample) indexAbove(v float64) int {
	i, _ := slices.BinarySearchFunc(s.sortedSizes, v, func(x, v float64) int {
		if x <= v {
			return -1
		}
		return 1
	})
	return i
}
