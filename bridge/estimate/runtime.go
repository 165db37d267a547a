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

// newTimeLeftFunc returns what says what remains of a job, from the best that it offers.
func newTimeLeftFunc(s *policy.Snapshot, free *pool.Pool) func(*policy.Job) timeLeft {
	round, ladder := &engine.Round{Snapshot: s, FreePool: free}, predict.Ladder(nil)
	return func(j *policy.Job) timeLeft {
		p := ladder.Predict(round, &engine.Entry{Job: j})
		t := timeLeft{median: p.TimeLeft, logSigma: unknownLogSigma}
		switch {
		case p.TimeLeft <= 0:
			t.median = unknownMedian
		case p.Source == predict.FromLimit && p.TimeLeft >= j.Limit-j.Ran(s.Now): // how much of limits is used is not known
			t.median = time.Duration(unknownLimitUse * float64(p.TimeLeft))
		case p.TimeLeftSigma > 0:
			t.logSigma = math.Log1p(p.TimeLeftSigma.Seconds() / p.TimeLeft.Seconds())
		}
		t.logSigma = min(max(t.logSigma, minLogSigma), maxLogSigma)
		if j.Limit > 0 {
			t.most = max(j.Limit-j.Ran(s.Now), time.Second)
		}
		return t
	}
}

// draw returns one of equally likely values, of which there are count.
func (t *timeLeft) draw(part, count int) time.Duration {
	z := math.Sqrt2 * math.Erfinv((2*float64(part)+1)/float64(count)-1)
	d := policy.DurationFromSeconds(t.median.Seconds() * math.Exp(t.logSigma*z))
	if t.most > 0 {
		d = min(d, t.most)
	}
	return max(d, time.Second)
}

// partsOfDraws returns, by draw, which of count parts of its distribution a job's run time comes
// from: each part once, in an order of the job's own, so that jobs are long in different draws.
func partsOfDraws(job policy.JobID, count int) []int {
	key := func(draw int) uint64 {
		x := uint64(job)*0x9e3779b97f4a7c15 + uint64(draw)*0xd1b54a32d192ed03
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	parts := make([]int, count)
	for draw := range parts {
		parts[draw] = draw
	}
	slices.SortFunc(parts, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return parts
}
