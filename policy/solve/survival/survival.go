package survival

import (
	"math"
	"slices"
)

// Sample is a sample of job sizes (seconds, GPU-seconds, …) in ascending order,
// with which questions about jobs that have already received something are
// answered. The zero value knows nothing.
type Sample struct {
	sorted []float64
	sum    []float64 // sum[i] is the sum of the first i
}

// NewSample returns the sample; values that are no numbers are left out.
func NewSample(values []float64) Sample {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(v)
	sum := make([]float64, len(v)+1)
	for i, x := range v {
		sum[i+1] = sum[i] + x
	}
	return Sample{v, sum}
}

// Len returns the number of values.
func (s Sample) Len() int { return len(s.sorted) }

// Quantile returns the value below or at which a fraction q of the sample
// lies (nearest rank); ok is false for an empty sample.
func (s Sample) Quantile(q float64) (value float64, ok bool) {
	n := len(s.sorted)
	if n == 0 {
		return 0, false
	}
	rank := int(math.Ceil(q * float64(n)))
	return s.sorted[min(max(rank, 1), n)-1], true
}

// EndsWithin returns the chance that a size above had is at most had+more, and the
// amount still to be spent on average if one stops after more. Both are zero
// when no size lies above had.
func (s Sample) EndsWithin(had, more float64) (chance, spent float64) {
	from := s.indexAbove(had)
	if from == len(s.sorted) || more <= 0 {
		return 0, 0
	}
	return s.ends(from, max(s.indexAbove(had+more), from), had, more)
}

// ends answers EndsWithin for the sizes from from on, of which those before to end.
func (s Sample) ends(from, to int, had, more float64) (chance, spent float64) {
	alive, done := float64(len(s.sorted)-from), float64(to-from)
	spent = s.sum[to] - s.sum[from] - done*had + (alive-done)*more
	return done / alive, spent / alive
}

// Gittins returns the Gittins index of something that has had so much: the
// best ratio, over all further amounts, of the chance to end to the amount
// spent. It is zero when no size lies above had. It takes O(n) time.
func (s Sample) Gittins(had float64) float64 {
	best, from := 0.0, s.indexAbove(had)
	for i := from; i < len(s.sorted); i++ {
		if chance, spent := s.ends(from, i+1, had, s.sorted[i]-had); spent > 0 {
			best = max(best, chance/spent)
		}
	}
	return best
}

// indexAbove returns the position of the first value greater than v.
func (s Sample) indexAbove(v float64) int {
	i, _ := slices.BinarySearchFunc(s.sorted, v, func(x, v float64) int {
		if x <= v {
			return -1
		}
		return 1
	})
	return i
}
