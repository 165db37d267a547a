package learn

import (
	"math"
)

// The scale of run times: so many bins, each wider than the last by a constant
// factor, from one second to a good year.
const (
	binsPerOctave  = 8 // bins while run time doubles
	binCount       = 25 * binsPerOctave
	extraRatioBins = binsPerOctave // further bins of the scale of ratios, above ratio 1
)

// binLowerEdges are those of the bins in seconds, and the end of the last one;
// binMeans and binMeanSquares the mean and mean square of a run time in a bin.
var binLowerEdges, binMeans, binMeanSquares = newBinScale()

func newBinScale() (lower [binCount + 1]float64, mean, square [binCount]float64) {
	for b := range lower {
		lower[b] = math.Exp2(float64(b) / binsPerOctave)
	}
	for b := range mean {
		mean[b], square[b] = logUniformMoments(lower[b], lower[b+1])
	}
	return lower, mean, square
}

// logUniformMoments returns mean and mean square of what is spread evenly on a
// logarithmic scale between two values.
func logUniformMoments(lo, hi float64) (first, second float64) {
	wide := math.Log(hi / lo)
	if wide < 1e-9 {
		return lo, lo * lo
	}
	return (hi - lo) / wide, (hi*hi - lo*lo) / (2 * wide)
}

// binOfSeconds returns the bin of a run time in seconds.
func binOfSeconds(seconds float64) int {
	if !(seconds > 1) {
		return 0
	}
	return min(int(math.Log2(seconds)*binsPerOctave), binCount-1)
}

// binOfRatio returns the bin of a run time as a part of the limit.
func binOfRatio(seconds, limit float64) int {
	b := binCount + math.Floor(math.Log2(max(seconds, 1)/limit)*binsPerOctave)
	return int(min(max(b, 0), binCount+extraRatioBins-1))
}

// ratioBinShift is how far the scale of ratios lies below that of run times for a
// limit: ratio bin b is run-time bin b+shift.
func ratioBinShift(limit float64) int {
	return int(math.Round(math.Log2(max(limit, 1))*binsPerOctave)) - binCount
}
