package learn

import (
	"math"
	"slices"
)

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
