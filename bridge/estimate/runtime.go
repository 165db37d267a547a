package estimate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
	"fairbridge/policy/scaling"
)

// timeLeft is the distribution of what remains of a job's run: log-normal, within its limit.
type timeLeft struct {
	median   time.Duration
	logSigma float64       // standard deviation of the logarithm
	most     time.Duration // what its limit allows; 0: without limit
}

// unknownLogSigma is how far off is what only a limit, or the time a job has run, tells of it.
const unknownLogSigma = 1.2

// Bounds of what is believed of a prediction's spread.
const minLogSigma, maxLogSigma = .1, 3

// unknownLimitUse is the part of what its time limit still allows that a job takes of which only the
// limit is known: users ask for several times what they need.
const unknownLimitUse = .3

// unknownMedian is what is left of a job of which nothing at all is known, not even a limit.
const unknownMedian = time.Hour

// newTimeLeftFunc returns what says what remains of a job at a pace, from the best that it offers.
func newTimeLeftFunc(s *policy.Snapshot, free *pool.Pool) func(*policy.Job, scaling.Pace) timeLeft {
	round, ladder := &engine.Round{Snapshot: s, FreePool: free}, predict.Ladder(nil)
	return func(j *policy.Job, pace scaling.Pace) timeLeft {
		p := ladder.Predict(round, &engine.Entry{Job: j})
		t := timeLeft{median: p.TimeLeft, logSigma: unknownLogSigma}
		switch {
		case p.TimeLeft <= 0:
			t.median = unknownMedian
		case p.Source == predict.FromLimit && p.TimeLeft >= j.Limit-j.Ran(s.Now): // how much of limits is used is not known
			t.median = time.Duration(unknownLimitUse * float64(p.TimeLeft))
		case p.TimeLeftSigma > 0 || p.IsExact():
			t.logSigma = math.Log1p(p.TimeLeftSigma.Seconds() / p.TimeLeft.Seconds())
		}
		t.median = pace.WallTime(t.median)
		if p.Source == predict.FromHistory || p.Source == predict.FromLimit {
			t.doubt(j.Ran(s.Now))
		}
		t.logSigma = math.Hypot(t.logSigma, math.Log1p(pace.RelativeSigma))
		t.logSigma = min(max(t.logSigma, minLogSigma), maxLogSigma)
		if j.Limit > 0 {
			t.most = max(j.Limit-j.Ran(s.Now), time.Second)
		}
		return t
	}
}

// How far what was learnt of run times is doubted: what a site has not seen end yet, above all its long
// runs, nothing could be learnt from.
const (
	doubtFactor    = 1.6 // of the spread
	leastRestShare = .5  // of how long a job ran, that is left of it as likely as not
	vagueLogSigma  = .5  // a prediction that is closer than this knows better
)

// doubt widens what was predicted of a job that ran for so long.
func (t *timeLeft) doubt(ran time.Duration) {
	if t.logSigma >= vagueLogSigma {
		t.median = max(t.median, time.Duration(leastRestShare*float64(ran)))
	}
	t.logSigma *= doubtFactor
}

// draw returns one of equally likely values, of which there are count.
func (t *timeLeft) draw(part, count int) time.Duration {
	d := policy.DurationFromSeconds(t.median.Seconds() * math.Exp(t.logSigma*normalQuantile(part, count)))
	if t.most > 0 {
		d = min(d, t.most)
	}
	return max(d, time.Second)
}

// normalQuantile returns the middle of a part of the standard normal distribution, of count parts.
func normalQuantile(part, count int) float64 {
	return math.Sqrt2 * math.Erfinv((2*float64(part)+1)/float64(count)-1)
}

// sharedVariance is the part of the variance of run times that jobs have in common: where one runs
// longer than was thought others do, too, since what was learnt, and what users do, is the same.
const sharedVariance = .3

// partsOfDraws returns, by draw, which of count parts of its distribution a job's run time comes
// from: each part once, in an order of the job's own, so that jobs are long in different draws, but
// more often in those that are long for all.
func partsOfDraws(job policy.JobID, count int) []int {
	shared, own := orderOfDraws(0, count), orderOfDraws(job, count)
	keys, draws, parts := make([]float64, count), make([]int, count), make([]int, count)
	for draw := range count {
		draws[draw] = draw
		keys[draw] = math.Sqrt(sharedVariance)*normalQuantile(shared[draw], count) + math.Sqrt(1-sharedVariance)*normalQuantile(own[draw], count)
	}
	slices.SortFunc(draws, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	for part, draw := range draws {
		parts[draw] = part
	}
	return parts
}

// orderOfDraws returns the draws in an order of a job's own.
func orderOfDraws(job policy.JobID, count int) []int {
	key := func(draw int) uint64 {
		x := uint64(job)*0x9e3779b97f4a7c15 + uint64(draw)*0xd1b54a32d192ed03
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	order := make([]int, count)
	for draw := range order {
		order[draw] = draw
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return order
}
