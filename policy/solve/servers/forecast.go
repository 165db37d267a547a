package servers

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// History is how many requests a second came in the last windows of time, all of one length, and at which rate
// they usually come.
type History struct {
	WindowSeconds float64   // of each rate; above 0
	Rates         []float64 // the last window's last; none: nothing is known
	Usual         float64   // at the time that is forecast; 0: not known
	// Sigmas is by how many standard errors of a rate counted in a window the forecast is above what is expected.
	Sigmas float64
}

// ForecastRate returns the rate that is to be provided for so many seconds from now: the greatest of what the
// line through the rates says, what is usual then, and the last rate, and a margin for what chance does to a count.
func (h History) ForecastRate(ahead float64) float64 {
	expected := h.Usual
	if n := len(h.Rates); n > 0 {
		expected = max(expected, h.Rates[n-1])
	}
	if n := len(h.Rates); n > 1 {
		ages := make([]float64, n)
		for i := range ages {
			ages[i] = h.WindowSeconds * (float64(i-n) + .5)
		}
		intercept, slope := stat.LinearRegression(ages, h.Rates, nil, false)
		expected = max(expected, intercept+slope*ahead)
	}
	return expected + h.Sigmas*math.Sqrt(expected/h.WindowSeconds)
}
