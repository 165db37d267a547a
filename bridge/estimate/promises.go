package estimate

import (
	"math"
)

// PromiseOutcome is what came of a chance that a job with a deadline was told: one whose deadline is past.
type PromiseOutcome struct {
	Uncorrected float64 // see Chances
	IsMet       bool
}

// promiseCorrection brings chances to how often such were met at the same site: a line in logits that
// bends at even odds, fitted to earlier promises, the latest counting most (logistic calibration: Platt, 1999).
type promiseCorrection struct{ shift, below, above float64 }

// assumedCorrection stands for outcomes where there are few: what was told to be unlikely came more often in simulated days.
var assumedCorrection = promiseCorrection{shift: 0, below: .6, above: 1}

const (
	// assumedWeight is how much is assumed counts, as the precision of each of the three numbers.
	assumedWeight = 10.
	// promiseHalfLife is after how many more promises one counts half: what a site does changes, and jobs of one
	// queue are off alike.
	promiseHalfLife = 100.
	// MaxPromises is how many are looked at, the latest.
	MaxPromises = 500
	// leastPromise bounds what is learnt from.
	leastPromise = .03
)

// LearnPromises learns from what came of promises whose deadline is past, the oldest first.
func (c *Calibration) LearnPromises(all []PromiseOutcome) {
	c.promises = fitCorrection(all[max(len(all)-MaxPromises, 0):])
}

// orAssumed returns what is assumed in place of the zero value.
func (p promiseCorrection) orAssumed() promiseCorrection {
	if p == (promiseCorrection{}) {
		return assumedCorrection
	}
	return p
}

// apply corrects a chance between none and one; it grows with it.
func (p promiseCorrection) apply(chance float64) float64 {
	x := math.Log(chance / (1 - chance))
	return logistic(p.shift + p.below*min(x, 0) + p.above*max(x, 0))
}

// fitCorrection returns the correction that is likeliest given outcomes and what is assumed, by Newton's method,
// one number after another: the likelihood has one peak.
func fitCorrection(all []PromiseOutcome) promiseCorrection {
	p := assumedCorrection
	for range 30 {
		p.shift -= p.step(all, p.shift-assumedCorrection.shift, func(float64) float64 { return 1 })
		p.below -= p.step(all, p.below-assumedCorrection.below, func(x float64) float64 { return min(x, 0) })
		p.above -= p.step(all, p.above-assumedCorrection.above, func(x float64) float64 { return max(x, 0) })
	}
	p.below, p.above = max(p.below, 0), max(p.above, 0)
	return p
}

// step is how far one number is above its best with the others as they are: off is its distance from what is assumed,
// factor what it is multiplied by.
func (p promiseCorrection) step(all []PromiseOutcome, off float64, factor func(logit float64) float64) float64 {
	slope, curve := assumedWeight*off, assumedWeight
	for i := range all {
		o := &all[i]
		f := factor(math.Log(o.Uncorrected / (1 - o.Uncorrected)))
		weight := math.Exp2(-float64(len(all)-1-i) / promiseHalfLife)
		chance, met := p.apply(o.Uncorrected), 0.
		if o.IsMet {
			met = 1
		}
		slope += weight * f * (chance - met)
		curve += weight * f * f * chance * (1 - chance)
	}
	return slope / curve
}
