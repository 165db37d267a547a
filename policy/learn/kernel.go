package learn

import "math"

// kernel is a bell of values on bins around a centre; they add up to 1.
type kernel struct {
	at    [4 * bins]float64 // at[i] for i bins to either side
	reach int               // the last i with a value
}

// setSigma makes it a bell of a standard deviation in bins.
func (k *kernel) setSigma(sigma float64) {
	k.reach = 0
	if k.at[0] = 1; sigma < .2 {
		return
	}
	k.reach = min(int(3*sigma), len(k.at)-1)
	sum, step := 1.0, math.Exp(-1/(2*sigma*sigma))
	for i, fall := 1, step; i <= k.reach; i++ {
		k.at[i] = k.at[i-1] * fall // exp(-i²/2σ²): i² grows by 1, 3, 5, …
		fall *= step * step
		sum += 2 * k.at[i]
	}
	for i := 0; i <= k.reach; i++ {
		k.at[i] /= sum
	}
}

// spread adds the runs of a group, as a bell each, to the bins; by is what they
// add up to, and shift what is added to their bins. What would lie off the scale
// is counted at its ends.
func (k *kernel) spread(to *[bins]float64, g *group, by float64, shift int) {
	by *= g.scale()
	for i, b := range g.Bins {
		m, at := g.Mass[i]*by, int(b)+shift
		if at >= k.reach && at+k.reach < bins {
			to[at] += m * k.at[0]
			for d := 1; d <= k.reach; d++ {
				to[at-d] += m * k.at[d]
				to[at+d] += m * k.at[d]
			}
			continue
		}
		for d := -k.reach; d <= k.reach; d++ {
			to[min(max(at+d, 0), bins-1)] += m * k.at[max(d, -d)]
		}
	}
}

// density is what spread adds to one bin, for by 1.
func (k *kernel) density(g *group, at, shift int) (sum float64) {
	for i, b := range g.Bins {
		d := at - int(b) - shift
		if d = max(d, -d); d <= k.reach {
			sum += g.Mass[i] * k.at[d]
		}
	}
	return sum * g.scale()
}

// shareUpTo is the share of a group's runs up to a bin, that included.
func (g *group) shareUpTo(at, shift int) (sum float64) {
	for i, b := range g.Bins {
		if int(b)+shift > at {
			break
		}
		sum += g.Mass[i]
	}
	return sum * g.scale()
}
