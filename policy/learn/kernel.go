package learn

import (
	"math"
	"slices"
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

// jobGroup is what a level knows of jobs that are alike.
type jobGroup struct {
	Key         groupKey  `json:"key"`
	LastEndUnix int64     `json:"last"` // end of the last run, seconds since 1970
	RunCount    float64   `json:"runs"` // how many it stands for: older ones count less
	Bins        []uint8   `json:"bins"` // those with runs, ascending
	MassByBin   []float64 `json:"mass"` // of each of them; they add up to RunCount times nextRunMass
	// nextRunMass is what the next run weighs: it grows instead of all others shrinking.
	nextRunMass float64
}

// maxNextRunMass is where units are brought back to one.
const maxNextRunMass = 1e12

// addRun counts one more run.
func (g *jobGroup) addRun(bin int, keep float64) {
	g.RunCount = g.RunCount*keep + 1
	if g.nextRunMass == 0 {
		g.nextRunMass = 1
	} else {
		g.nextRunMass /= keep
	}
	i, found := slices.BinarySearch(g.Bins, uint8(bin))
	if !found {
		g.Bins, g.MassByBin = slices.Insert(g.Bins, i, uint8(bin)), slices.Insert(g.MassByBin, i, 0)
	}
	g.MassByBin[i] += g.nextRunMass
	if g.nextRunMass > maxNextRunMass {
		g.normalize()
	}
}

// massPartsPerRun is into how many parts of a run mass is kept; less is dropped.
const massPartsPerRun = 1e4

// normalize brings the unit back to one and drops what hardly counts any more.
func (g *jobGroup) normalize() {
	n := 0
	for i, b := range g.Bins {
		if m := math.Round(g.MassByBin[i]/g.nextRunMass*massPartsPerRun) / massPartsPerRun; m > 0 {
			g.Bins[n], g.MassByBin[n] = b, m
			n++
		}
	}
	g.Bins, g.MassByBin, g.nextRunMass = g.Bins[:n], g.MassByBin[:n], 1
	g.RunCount = 0
	for _, m := range g.MassByBin {
		g.RunCount += m
	}
}

// massToShare turns mass into shares.
func (g *jobGroup) massToShare() float64 { return 1 / (g.RunCount * g.nextRunMass) }
