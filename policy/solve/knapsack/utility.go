package knapsack

import (
	"math"
)

// PiecewiseLog approximates the logarithm on 0..1 from below by straight lines
// between the knots and 1, and between 0, where it is the logarithm of zero,
// and the first knot. The knots ascend.
func PiecewiseLog(zero float64, knots ...float64) func(float64) float64 {
	type piece struct{ from, at, slope float64 }
	pieces := make([]piece, 0, len(knots)+1)
	from, at := 0.0, math.Log(zero)
	for _, to := range append(knots[:len(knots):len(knots)], 1) {
		if to <= from {
			continue
		}
		pieces = append(pieces, piece{from, at, (math.Log(to) - at) / (to - from)})
		from, at = to, math.Log(to)
	}
	return func(x float64) float64 {
		i := 0
		for i+1 < len(pieces) && pieces[i+1].from <= x {
			i++
		}
		return pieces[i].at + pieces[i].slope*(min(max(x, 0), 1)-pieces[i].from)
	}
}
