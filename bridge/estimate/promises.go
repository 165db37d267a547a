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
func (p promiseCorrection) apply(chance float64) float64 { return p.at(logitOf(chance)) }

// at is the corrected chance of one that is given by its logit.
func (p promiseCorrection) at(logit float64) float64 {
	return logistic(p.shift + p.below*min(logit, 0) + p.above*max(logit, 0))
}

func logitOf(chance float64) float64 { return math.Log(chance / (1 - chance)) }

// weighedOutcome is an outcome as the fit looks at it: the logit of what was to be corrected, 1 where it was met, and how much it counts.
type weighedOutcome struct{ logit, met, weight float64 }

func weigh(all []PromiseOutcome) []weighedOutcome {
	out := make([]weighedOutcome, len(all))
	for i, o := range all {
		out[i] = weighedOutcome{logit: logitOf(o.Uncorrected), weight: math.Exp2(-float64(len(all)-1-i) / promiseHalfLife)}
		if o.IsMet {
			out[i].met = 1
		}
	}
	return out
}

// fitCorrection returns the correction that is likeliest given outcomes and what is assumed, by Newton's method, one number
// after another: the likelihood has one peak.
func fitCorrection(outcomes []PromiseOutcome) promiseCorrection {
	p, all := assumedCorrection, weigh(outcomes)
	for range 30 {
		for _, n := range correctionNumbers {
			p.climb(all, n)
		}
	}
	return p
}

// correctionNumber is one of the three numbers of a correction: where it is, what of a logit it is multiplied by, and its least
// value: what is likelier before must stay so.
type correctionNumber struct {
	of     func(*promiseCorrection) *float64
	factor func(logit float64) float64
	least  float64
}

var correctionNumbers = []correctionNumber{
	{func(p *promiseCorrection) *float64 { return &p.shift }, func(float64) float64 { return 1 }, math.Inf(-1)},
	{func(p *promiseCorrection) *float64 { return &p.below }, func(x float64) float64 { return min(x, 0) }, 0},
	{func(p *promiseCorrection) *float64 { return &p.above }, func(x float64) float64 { return max(x, 0) }, 0},
}

// climb moves one number towards its best with the others as they are. Far from it Newton's steps are too long, so that one
// would leap to and fro: a step is halved until it makes the outcomes likelier.
func (p *promiseCorrection) climb(all []weighedOutcome, n correctionNumber) {
	at, before, step := n.of(p), p.loss(all), p.step(all, n)
	from := *at
	for ; math.Abs(step) > 1e-9; step /= 2 {
		if *at = max(from-step, n.least); p.loss(all) <= before+1e-9 { // which is no more than rounding
			return
		}
	}
	*at = from
}

// loss is how unlikely the outcomes are, and how far the numbers are from what is assumed.
func (p *promiseCorrection) loss(all []weighedOutcome) (sum float64) {
	for _, n := range correctionNumbers {
		assumed := assumedCorrection
		off := *n.of(p) - *n.of(&assumed)
		sum += assumedWeight / 2 * off * off
	}
	for _, o := range all {
		chance := p.at(o.logit)
		if o.met == 0 {
			chance = 1 - chance
		}
		sum -= o.weight * math.Log(max(chance, 1e-300))
	}
	return sum
}

// step is how far Newton's method thinks one number above its best with the others as they are.
func (p *promiseCorrection) step(all []weighedOutcome, n correctionNumber) float64 {
	assumed := assumedCorrection
	slope, curve := assumedWeight*(*n.of(p)-*n.of(&assumed)), assumedWeight
	for _, o := range all {
		f, chance := n.factor(o.logit), p.at(o.logit)
		slope += o.weight * f * (chance - o.met)
		curve += o.weight * f * f * chance * (1 - chance)
	}
	return slope / curve
}
