package learn

import (
	"math"
)

// priorMass is what to expect of a job before anything was ever seen: half an hour
// at the median, log-normally spread, two thirds of jobs within a factor of eleven.
var priorMass, priorSums = logNormal(30*60, 2.4)

// logNormal returns a log-normal distribution over the bins, and its sums.
func logNormal(median, sigma float64) (mass, sums [binCount]float64) {
	upTo := func(seconds float64) float64 {
		return .5 * math.Erfc(-math.Log(seconds/median)/sigma/math.Sqrt2)
	}
	last := 0.0
	for b := range mass {
		next := upTo(lowerEdges[b+1])
		if b == binCount-1 {
			next = 1
		}
		mass[b], sums[b], last = next-last, next, next
	}
	return mass, sums
}
