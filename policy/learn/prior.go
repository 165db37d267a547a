package learn

import (
	"math"
)

// priorMassByBin is what to expect of a job before anything was ever seen: half an hour
// at the median, log-normally spread, two thirds of jobs within a factor of eleven.
var priorMassByBin, priorCumulative = logNormalMass(30*60, 2.4)

// logNormalMass returns a log-normal distribution over the bins, by bin and up to the end of each bin.
func logNormalMass(median, sigma float64) (mass, sums [binCount]float64) {
	upTo := func(seconds float64) float64 {
		return .5 * math.Erfc(-math.Log(seconds/median)/sigma/math.Sqrt2)
	}
	last := 0.0
	for b := range mass {
		next := upTo(binLowerEdges[b+1])
		if b == binCount-1 {
			next = 1
		}
		mass[b], sums[b], last = next-last, next, next
	}
	return mass, sums
}
