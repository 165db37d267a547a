package learn

import (
	"math"
	"slices"
)

// isValid reports whether the numbers can be used.
func (f *levelParameters) isValid() bool {
	return f.Weight > 0 && f.Most >= 0 && f.Most <= 1 && f.Width >= 0 && f.Weight+f.Width < math.MaxFloat32
}

// isValid reports whether texts are known, and runs and bins match.
func (g *group) isValid(k *grouping, texts int) bool {
	if g == nil || len(g.Bins) == 0 || len(g.Bins) != len(g.Mass) || !(g.Runs > 0) || math.IsInf(g.Runs, 1) {
		return false
	}
	for _, n := range g.Key[:k.textCount] {
		if n < 0 || int(n) >= texts {
			return false
		}
	}
	for i, b := range g.Bins {
		if int(b) >= binCount+extraRatioBins || i > 0 && g.Bins[i-1] >= b || !(g.Mass[i] >= 0) || g.Mass[i] > 2*g.Runs {
			return false
		}
	}
	return true
}

func (k groupKey) compare(o groupKey) int { return slices.Compare(k[:], o[:]) }
