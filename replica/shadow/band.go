package shadow

import (
	"cmp"
	"math"
	"slices"
)

// newGroup sums jobs up, without its band and claim.
func newGroup(jobs []pastJob) Group {
	g := Group{JobCount: len(jobs)}
	if len(jobs) == 0 {
		return g
	}
	n := float64(len(jobs))
	alone, plan := make([]float64, len(jobs[0].alone)), make([]float64, len(jobs[0].plan)) // by seed
	for i := range jobs {
		j := &jobs[i]
		g.RealWait += j.real / n
		g.OwnError += (mean(j.then) - j.real) / n
		addScaled(alone, j.alone, 1/n)
		addScaled(plan, j.plan, 1/n)
		switch by := max(j.startRange, LeastChange); {
		case j.startChange < -by:
			g.EarlierCount++
		case j.startChange > by:
			g.LaterCount++
		}
	}
	g.AloneWait, g.PlanWait = mean(alone), mean(plan)
	g.Gain = g.AloneWait - g.PlanWait
	g.aloneDeviation, g.planDeviation = standardDeviation(alone), standardDeviation(plan)
	return g
}

// BandWidth is how many standard errors a band is wide on either side: it is meant to hold four
// of five.
const BandWidth = 1.3

// setBand says how far the gain of a group may be off, and what may be claimed. errorOfOne is the
// standard error of the simulation of one job's wait, as pooledError has it: the error of a
// single group may be small by luck. A band is at least the group's own error.
func (g *Group) setBand(errorOfOne float64) {
	usual := errorOfOne / math.Sqrt(float64(max(g.JobCount, 1)))
	g.Band = max(math.Abs(g.OwnError), BandWidth*math.Hypot(usual, math.Hypot(g.aloneDeviation, g.planDeviation)))
	g.Claim = claimOf(g.Gain, g.Band)
	if g.JobCount == 0 {
		g.Claim = CannotTell
	}
}

// setBands is setBand for groups of one kind.
func setBands(groups []Group) {
	errorOfOne := pooledError(groups)
	for i := range groups {
		groups[i].setBand(errorOfOne)
	}
}

// pooledError is the standard error of the simulation of one job's wait, as the mean errors of
// groups show it: that of a group of n is as large as 1/√n of it.
func pooledError(groups []Group) float64 {
	sum := 0.0
	for i := range groups {
		sum += groups[i].OwnError * groups[i].OwnError * float64(groups[i].JobCount) / float64(len(groups))
	}
	return math.Sqrt(sum)
}

// findLosers are the groups that would have waited longer, by the time that costs them in all.
func findLosers(groups []Group) []Group {
	groups = slices.DeleteFunc(groups, func(g Group) bool { return g.Gain > -LeastChange })
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Compare(a.Gain*float64(a.JobCount), b.Gain*float64(b.JobCount))
	})
	return groups[:min(len(groups), maxLosers)]
}

func addScaled(sum, values []float64, by float64) {
	for i, v := range values {
		sum[i] += by * v
	}
}

// standardDeviation of a sample; 0 of one.
func standardDeviation(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(max(len(values)-1, 1)))
}
