package learn

import (
	"math"
	"slices"
)

// isValid reports whether the numbers can be used.
func (f *levelParameters) isValid() bool {
	return f.PriorWeight > 0 && f.MaxShare >= 0 && f.MaxShare <= 1 && f.KernelWidth >= 0 && f.PriorWeight+f.KernelWidth < math.MaxFloat32
}

// isValid reports whether texts are known, and runs and bins match.
func (g *jobGroup) isValid(k *jobGrouping, texts int) bool {
	if g == nil || len(g.Bins) == 0 || len(g.Bins) != len(g.MassByBin) || !(g.RunCount > 0) || math.IsInf(g.RunCount, 1) {
		return false
	}
	for _, n := range g.Key[:k.keyTextCount] {
		if n < 0 || int(n) >= texts {
			return false
		}
	}
	for i, b := range g.Bins {
		if int(b) >= binCount+extraRatioBins || i > 0 && g.Bins[i-1] >= b || !(g.MassByBin[i] >= 0) || g.MassByBin[i] > 2*g.RunCount {
			return false
		}
	}
	return true
}

func (k groupKey) compare(o groupKey) int { return slices.Compare(k[:], o[:]) }
