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
		one := kernelSigma(1, g.RunCount)
		for w, width := range candidateKernelWidths {
			k.setSigma(width * one)
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
	var x levelTrials
	for at, settled := 0, 0; at < tuningRounds*levels && settled < levels; at++ {
		if settled++; m.tuneLevel(at%levels, pick, trials, &x) {
			settled = 1 // the others may now be better otherwise
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

// asLine returns the same as start + s·slope.
func (l linearProbability) asLine(own, least float64) (start, slope float64) {
	return l.priorProbability*l.laterFactor + l.laterProbability + least, (own - l.priorProbability) * l.laterFactor
}

// logLikelihood is the logarithm of the product of the probabilities of trials, each a line in the share of one level,
// where the level takes so large a part of the shares.
func logLikelihood(starts, slopes, shares []float64, part float64) (sum float64) {
	starts, slopes = starts[:len(shares)], slopes[:len(shares)]
	even, odd := 1.0, 1.0
	for t := 0; t < len(shares); t++ {
		if even *= starts[t] + part*shares[t]*slopes[t]; t+1 < len(shares) {
			t++
			odd *= starts[t] + part*shares[t]*slopes[t]
		}
		if even < 1e-100 || odd < 1e-100 {
			sum, even, odd = sum+math.Log(even)+math.Log(odd), 1, 1 // logarithms are slow
		}
	}
	return sum + math.Log(even) + math.Log(odd)
}

// levelTrials are those trials of which one level knows something. Its memory is used for one level after the other.
type levelTrials struct {
	runCounts                []float64
	binStarts                []float64
	binSlopes                [len(candidateKernelWidths)][]float64
	limitStarts, limitSlopes []float64
	shares                   [len(candidatePriorWeights)][]float64 // by candidate of the weight, for a MaxShare of 1
}

func (x *levelTrials) set(m *Model, i int, pick []int, trials []heldOutRun) {
	x.runCounts, x.binStarts = x.runCounts[:0], x.binStarts[:0]
	x.limitStarts, x.limitSlopes = x.limitStarts[:0], x.limitSlopes[:0]
	for w := range x.binSlopes {
		x.binSlopes[w] = x.binSlopes[w][:0]
	}
	for t := range trials {
		k := &trials[t].levelEvidence[i]
		if k.runCount == 0 {
			continue
		}
		at, below := m.linearInShareOf(i, pick, &trials[t])
		start, slope := below.asLine(k.belowLimitProbability, 1e-9)
		x.runCounts = append(x.runCounts, k.runCount)
		x.limitStarts, x.limitSlopes = append(x.limitStarts, start), append(x.limitSlopes, slope)
		for w := range x.binSlopes {
			start, slope = at.asLine(k.binProbability[w], 1e-12)
			x.binSlopes[w] = append(x.binSlopes[w], slope)
		}
		x.binStarts = append(x.binStarts, start)
	}
	for i, weight := range candidatePriorWeights {
		x.shares[i] = appendShares(x.shares[i][:0], x.runCounts, levelParameters{PriorWeight: weight, MaxShare: 1})
	}
}

func appendShares(shares, runCounts []float64, f levelParameters) []float64 {
	for _, n := range runCounts {
		shares = append(shares, f.shareForRuns(n))
	}
	return shares
}

// tuneLevel tries all candidates for one level and reports whether a better one
// was found than the one it has.
func (m *Model) tuneLevel(i int, pick []int, trials []heldOutRun, x *levelTrials) bool {
	x.set(m, i, pick, trials)
	l := &m.Levels[i]
	if len(x.runCounts) < minHeldOutRuns/4 {
		return false
	}
	present, change := appendShares(nil, x.runCounts, l.levelParameters), false
	best := logLikelihood(x.binStarts, x.binSlopes[pick[i]], present, 1) -
		logLikelihood(x.limitStarts, x.limitSlopes, present, 1) + minLogLikelihoodGain
	var ofLimits [len(candidatePriorWeights)][len(candidateMaxShares)]float64
	for w := range candidateKernelWidths {
		for p, weight := range candidatePriorWeights {
			for k, most := range candidateMaxShares {
				if i == 0 && most < 1 {
					continue // jobs of which nothing else is known rely on it
				}
				if w == 0 {
					ofLimits[p][k] = logLikelihood(x.limitStarts, x.limitSlopes, x.shares[p], most)
				}
				if s := logLikelihood(x.binStarts, x.binSlopes[w], x.shares[p], most) - ofLimits[p][k]; s > best {
					best, change, pick[i] = s, true, w
					l.levelParameters = levelParameters{weight, most, candidateKernelWidths[w]}
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
