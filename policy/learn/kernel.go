package learn

import (
	"math"
)

// bellKernel is a bell of values on bins around a centre.
type bellKernel struct {
	valueByOffset [4 * binCount]float64 // at[i] for i bins to either side
	lastOffset    int                   // the last i with a value
	sum           float64               // of all
}

// setSigma makes it a bell of a standard deviation in bins.
func (k *bellKernel) setSigma(sigma float64) {
	k.lastOffset, k.sum = 0, 1
	if k.valueByOffset[0] = 1; sigma < .2 {
		return
	}
	k.lastOffset = min(int(3*sigma), len(k.valueByOffset)-1)
	step := math.Exp(-1 / (2 * sigma * sigma))
	for i, fall := 1, step; i <= k.lastOffset; i++ {
		k.valueByOffset[i] = k.valueByOffset[i-1] * fall // exp(-i²/2σ²): i² grows by 1, 3, 5, …
		fall *= step * step
		k.sum += 2 * k.valueByOffset[i]
	}
}

// addGroup adds the runs of a group, as a bell each, to the bins; by is what they
// add up to, and shift what is added to their bins. What would lie off the scale
// is counted at its ends.
func (k *bellKernel) addGroup(to *[binCount]float64, g *jobGroup, by float64, shift int) {
	by *= g.massToShare() / k.sum
	for i, b := range g.Bins {
		m, at := g.MassByBin[i]*by, int(b)+shift
		if at >= k.lastOffset && at+k.lastOffset < binCount {
			to[at] += m * k.valueByOffset[0]
			for d := 1; d <= k.lastOffset; d++ {
				to[at-d] += m * k.valueByOffset[d]
				to[at+d] += m * k.valueByOffset[d]
			}
			continue
		}
		for d := -k.lastOffset; d <= k.lastOffset; d++ {
			to[min(max(at+d, 0), binCount-1)] += m * k.valueByOffset[max(d, -d)]
		}
	}
}

// densityAtBin is what spread adds to one bin, for by 1.
func (k *bellKernel) densityAtBin(g *jobGroup, at, shift int) (sum float64) {
	for i, b := range g.Bins {
		d := at - int(b) - shift
		if d = max(d, -d); d <= k.lastOffset {
			sum += g.MassByBin[i] * k.valueByOffset[d]
		}
	}
	return sum * g.massToShare() / k.sum
}

// shareUpTo is the share of a group's runs up to a bin, that included.
func (g *jobGroup) shareUpTo(at, shift int) (sum float64) {
	for i, b := range g.Bins {
		if int(b)+shift > at {
			break
		}
		sum += g.MassByBin[i]
	}
	return sum * g.massToShare()
}
