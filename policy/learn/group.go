package learn

import (
	"math"
	"slices"
)

// group is what a level knows of jobs that are alike.
type group struct {
	Key  groupKey  `json:"key"`
	Last int64     `json:"last"` // end of the last run, seconds since 1970
	Runs float64   `json:"runs"` // how many it stands for: older ones count less
	Bins []uint8   `json:"bins"` // those with runs, ascending
	Mass []float64 `json:"mass"` // of each of them; they add up to Runs times unit
	// nextRunMass is what the next run weighs: it grows instead of all others shrinking.
	nextRunMass float64
}

// maxNextRunMass is where units are brought back to one.
const maxNextRunMass = 1e12

// addRun counts one more run.
func (g *group) addRun(bin int, keep float64) {
	g.Runs = g.Runs*keep + 1
	if g.nextRunMass == 0 {
		g.nextRunMass = 1
	} else {
		g.nextRunMass /= keep
	}
	i, found := slices.BinarySearch(g.Bins, uint8(bin))
	if !found {
		g.Bins, g.Mass = slices.Insert(g.Bins, i, uint8(bin)), slices.Insert(g.Mass, i, 0)
	}
	g.Mass[i] += g.nextRunMass
	if g.nextRunMass > maxNextRunMass {
		g.normalize()
	}
}

// massPrecision is into how many parts of a run mass is kept; less is dropped.
const massPrecision = 1e4

// normalize brings the unit back to one and drops what hardly counts any more.
func (g *group) normalize() {
	n := 0
	for i, b := range g.Bins {
		if m := math.Round(g.Mass[i]/g.nextRunMass*massPrecision) / massPrecision; m > 0 {
			g.Bins[n], g.Mass[n] = b, m
			n++
		}
	}
	g.Bins, g.Mass, g.nextRunMass = g.Bins[:n], g.Mass[:n], 1
	g.Runs = 0
	for _, m := range g.Mass {
		g.Runs += m
	}
}

// massToShare turns mass into shares.
func (g *group) massToShare() float64 { return 1 / (g.Runs * g.nextRunMass) }
