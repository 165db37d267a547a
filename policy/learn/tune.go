package learn

import (
	"math"
)

// heldOutRun is one run, and what the levels knew of it when it began: everything
// that its likelihood under other numbers takes.
type heldOutRun struct {
	priorEvidence evidence
	levelEvidence [levelCount]evidence
}

// evidence is what a level says of a run.
type evidence struct {
	runCount              float64                             // like it; 0: none
	binProbability        [len(candidateKernelWidths)]float64 // probability of its bin, by width of the kernel
	belowLimitProbability float64                             // probability of what the limit allows
}

// Candidates for the numbers of a level.
var (
	candidateKernelWidths = [...]float64{1, 2, 4, 8, 14, 24}
	candidatePriorWeights = [...]float64{.25, .5, 1, 2, 4, 8, 16, 64, 256}
	candidateMaxShares    = [...]float64{0, .03, .1, .2, .35, .5, .65, .8, .9, .96, 1}
)

// newHeldOutRun notes what the levels know of a run.
func (m *Model) newHeldOutRun(r *Run) (t heldOutRun) {
	seconds, limit := r.limitedSeconds(), r.Limit.Seconds()
	bin, cut := binOfSeconds(seconds), binCount-1
	if limit > 0 {
		cut = binOfSeconds(limit)
	}
	t.priorEvidence.binProbability[0], t.priorEvidence.belowLimitProbability = priorMassByBin[bin], priorCumulative[cut]
	var k bellKernel
	numbers := m.textTable.numberKnownJob(&r.Job)
	for i := range groupings {
		at, ok := groupings[i].keyOfJob(&numbers)
		g := m.Levels[i].groupsByKey[at]
		if !ok || g == nil {
			continue
		}
		by := 0
		if groupings[i].usesLimitRatio {
			by = ratioBinShift(limit)
		}
		l := &t.levelEvidence[i]
		l.runCount, l.belowLimitProbability = g.RunCount, g.shareUpTo(cut, by)
		for w, width := range candidateKernelWidths {
			k.setSigma(kernelSigma(width, g.RunCount))
			l.binProbability[w] = k.densityAtBin(g, bin, by)
		}
	}
	return t
}

// Every level is tuned so often, and a change must make the logarithm of the
// likelihood greater by minLogLikelihoodGain.
const (
	tuningRounds         = 3
	minLogLikelihoodGain = 2
)

// tuneLevels sets the numbers of one of the first levels after the other to those under
// which the trials are likeliest.
func (m *Model) tuneLevels(levels int, trials []heldOutRun) {
	pick := make([]int, len(m.Levels)) // index into candidateKernelWidths
	for i := range m.Levels {
		pick[i] = nearestCandidateWidth(m.Levels[i].KernelWidth)
	}
	for range tuningRounds {
		changed := false
		for i := range m.Levels[:levels] {
			changed = m.tuneLevel(i, pick, trials) || changed
		}
		if !changed {
			break
		}
	}
}

func nearestCandidateWidth(width float64) int {
	best := 0
	for i, w := range candidateKernelWidths {
		if math.Abs(w-width) < math.Abs(candidateKernelWidths[best]-width) {
			best = i
		}
	}
	return best
}

// linearProbability is a probability as it depends on the share s of one level:
// (1-s)·before + s·own, times rest, plus after.
type linearProbability struct{ priorProbability, laterFactor, laterProbability float64 }

func (l linearProbability) probabilityAt(s, own float64) float64 {
	return ((1-s)*l.priorProbability+s*own)*l.laterFactor + l.laterProbability
}

// tuneLevel tries all candidates for one level and reports whether a better one
// was found than the one it has.
func (m *Model) tuneLevel(i int, pick []int, trials []heldOutRun) bool {
	var own []*evidence
	var at, below []linearProbability
	for t := range trials {
		if k := &trials[t].levelEvidence[i]; k.runCount > 0 {
			a, b := m.linearInShareOf(i, pick, &trials[t])
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
	best, change := score(l.levelParameters, pick[i])+minLogLikelihoodGain, false
	for w := range candidateKernelWidths {
		for _, weight := range candidatePriorWeights {
			for _, most := range candidateMaxShares {
				if i == 0 && most < 1 {
					continue // jobs of which nothing else is known rely on it
				}
				f := levelParameters{weight, most, candidateKernelWidths[w]}
				if s := score(f, w); s > best {
					best, change, l.levelParameters, pick[i] = s, true, f, w
				}
			}
		}
	}
	return change
}

// linearInShareOf returns how the probability of a trial's bin, and of what its limit
// allows, depend on the share of level i.
func (m *Model) linearInShareOf(i int, pick []int, t *heldOutRun) (at, below linearProbability) {
	at, below = linearProbability{priorProbability: t.priorEvidence.binProbability[0], laterFactor: 1}, linearProbability{priorProbability: t.priorEvidence.belowLimitProbability, laterFactor: 1}
	for l := range m.Levels {
		k := &t.levelEvidence[l]
		if k.runCount == 0 || l == i {
			continue
		}
		s, p := m.Levels[l].shareForRuns(k.runCount), k.binProbability[pick[l]]
		if l < i {
			at.priorProbability += s * (p - at.priorProbability)
			below.priorProbability += s * (k.belowLimitProbability - below.priorProbability)
			continue
		}
		at.laterFactor, at.laterProbability = at.laterFactor*(1-s), at.laterProbability+s*(p-at.laterProbability)
		below.laterFactor, below.laterProbability = below.laterFactor*(1-s), below.laterProbability+s*(k.belowLimitProbability-below.laterProbability)
	}
	return at, below
}
