package learn

import (
	"math"
)

// heldOutRun is one run, and what the levels knew of it when it began: everything
// that its likelihood under other numbers takes.
type heldOutRun struct {
	prior  evidence
	levels [levelCount]evidence
}

// evidence is what a level says of a run.
type evidence struct {
	runCount              float64                       // like it; 0: none
	binProbability        [len(candidateWidths)]float64 // probability of its bin, by width of the kernel
	belowLimitProbability float64                       // probability of what the limit allows
}

// Candidates for the numbers of a level.
var (
	candidateWidths  = [...]float64{1, 2, 4, 8, 14, 24}
	candidateWeights = [...]float64{.25, .5, 1, 2, 4, 8, 16, 64, 256}
	candidateMosts   = [...]float64{0, .03, .1, .2, .35, .5, .65, .8, .9, .96, 1}
)

// newHeldOutRun notes what the levels know of a run.
func (m *Model) newHeldOutRun(r *Run) (t heldOutRun) {
	seconds, limit := r.seconds(), r.Limit.Seconds()
	bin, cut := binOf(seconds), binCount-1
	if limit > 0 {
		cut = binOf(limit)
	}
	t.prior.binProbability[0], t.prior.belowLimitProbability = priorMass[bin], priorSums[cut]
	var k kernel
	numbers := m.texts.lookUp(&r.Job)
	for i := range groupings {
		at, ok := groupings[i].keyOfJob(&numbers)
		g := m.Levels[i].groupsByKey[at]
		if !ok || g == nil {
			continue
		}
		by := 0
		if groupings[i].isLimitRatio {
			by = ratioBinShift(limit)
		}
		l := &t.levels[i]
		l.runCount, l.belowLimitProbability = g.Runs, g.shareUpTo(cut, by)
		for w, width := range candidateWidths {
			k.setSigma(kernelSigma(width, g.Runs))
			l.binProbability[w] = k.densityAtBin(g, bin, by)
		}
	}
	return t
}

// Every level is tuned so often, and a change must make the logarithm of the
// likelihood greater by minLikelihoodGain.
const (
	tuningRounds      = 3
	minLikelihoodGain = 2
)

// tune sets the numbers of one level after the other to those under which the
// trials are likeliest.
func (m *Model) tune(trials []heldOutRun) {
	pick := make([]int, len(m.Levels)) // index into widths
	for i := range m.Levels {
		pick[i] = nearestWidth(m.Levels[i].Width)
	}
	for range tuningRounds {
		changed := false
		for i := range m.Levels {
			changed = m.tuneLevel(i, pick, trials) || changed
		}
		if !changed {
			break
		}
	}
}

func nearestWidth(width float64) int {
	best := 0
	for i, w := range candidateWidths {
		if math.Abs(w-width) < math.Abs(candidateWidths[best]-width) {
			best = i
		}
	}
	return best
}

// linearProbability is a probability as it depends on the share s of one level:
// (1-s)·before + s·own, times rest, plus after.
type linearProbability struct{ before, rest, after float64 }

func (l linearProbability) probabilityAt(s, own float64) float64 {
	return ((1-s)*l.before+s*own)*l.rest + l.after
}

// tuneLevel tries all candidates for one level and reports whether a better one
// was found than the one it has.
func (m *Model) tuneLevel(i int, pick []int, trials []heldOutRun) bool {
	var own []*evidence
	var at, below []linearProbability
	for t := range trials {
		if k := &trials[t].levels[i]; k.runCount > 0 {
			a, b := m.linearIn(i, pick, &trials[t])
			own, at, below = append(own, k), append(at, a), append(below, b)
		}
	}
	if len(own) < minHeldOutRuns/4 {
		return false
	}
	score := func(f levelParameters, w int) (sum float64) {
		product := 1.0
		for t, k := range own {
			s := f.shareForRuns(k.runCount)
			product *= (at[t].probabilityAt(s, k.binProbability[w]) + 1e-12) / (below[t].probabilityAt(s, k.belowLimitProbability) + 1e-9)
			if product < 1e-200 || product > 1e200 || t == len(own)-1 {
				sum, product = sum+math.Log(product), 1 // logarithms are slow
			}
		}
		return sum
	}
	l := &m.Levels[i]
	best, change := score(l.levelParameters, pick[i])+minLikelihoodGain, false
	for w := range candidateWidths {
		for _, weight := range candidateWeights {
			for _, most := range candidateMosts {
				if i == 0 && most < 1 {
					continue // jobs of which nothing else is known rely on it
				}
				f := levelParameters{weight, most, candidateWidths[w]}
				if s := score(f, w); s > best {
					best, change, l.levelParameters, pick[i] = s, true, f, w
				}
			}
		}
	}
	return change
}

// linearIn returns how the probability of a trial's bin, and of what its limit
// allows, depend on the share of level i.
func (m *Model) linearIn(i int, pick []int, t *heldOutRun) (at, below linearProbability) {
	at, below = linearProbability{before: t.prior.binProbability[0], rest: 1}, linearProbability{before: t.prior.belowLimitProbability, rest: 1}
	for l := range m.Levels {
		k := &t.levels[l]
		if k.runCount == 0 || l == i {
			continue
		}
		s, p := m.Levels[l].shareForRuns(k.runCount), k.binProbability[pick[l]]
		if l < i {
			at.before += s * (p - at.before)
			below.before += s * (k.belowLimitProbability - below.before)
			continue
		}
		at.rest, at.after = at.rest*(1-s), at.after+s*(p-at.after)
		below.rest, below.after = below.rest*(1-s), below.after+s*(k.belowLimitProbability-below.after)
	}
	return at, below
}
