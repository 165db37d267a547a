package descent

import (
	"math"
)

// searches is how often LeastSquares searches on from where it came to: a search may end early beside a bound, where one
// that begins there goes straight down.
const searches = 3

// LeastSquares returns the x >= 0 for which |Ax - b| is the least. Every row of a, of which there is one at least, has
// as many numbers as there are unknowns. Numbers that are not finite give zeros.
func LeastSquares(a [][]float64, b []float64) []float64 {
	n := len(a[0])
	scales, most := make([]float64, n), make([]float64, n) // columns of length 1 make the search short
	for j := range scales {
		for i := range a {
			scales[j] = math.Hypot(scales[j], a[i][j])
		}
		if scales[j] == 0 {
			scales[j] = 1
		}
		most[j] = math.Inf(1)
	}
	distance := func(x, gradient []float64) (sum float64) {
		clear(gradient)
		for i, row := range a {
			rest := -b[i]
			for j, v := range row {
				rest += v / scales[j] * x[j]
			}
			sum += rest * rest
			for j, v := range row {
				gradient[j] += 2 * rest * v / scales[j]
			}
		}
		return sum
	}
	x, none := make([]float64, n), make([]float64, n)
	for range searches {
		x, _ = Minimize(distance, x, none, most)
	}
	for j := range x {
		if x[j] > 0 { // otherwise the length may be no number
			x[j] /= scales[j]
		}
	}
	return x
}
