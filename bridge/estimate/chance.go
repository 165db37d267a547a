package estimate

import (
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
)

// Bounds of a chance: three quantiles of a band tell nothing surer, as promises about simulated days showed.
const leastChance, mostChance = .05, .95

// edgeLogit is the logarithm of the odds of nine in ten, which the edges of a band stand for.
var edgeLogit = math.Log(9)

// ownersPart is how much of what a deadline tells of its job's run is believed: whoever sets one does not set it before the
// job could be done if it started at once. Chosen on drawn days 10 to 29 and one stretch of Philly (lab/startscore).
const ownersPart = .5

// RunTime is how long a waiting job is thought to run on what it asks, were it to start at once. The zero value is not known.
type RunTime struct{ left timeLeft }

// NewRunTimes returns what tells the run times of waiting jobs of a snapshot.
func NewRunTimes(s *policy.Snapshot) func(*policy.Job) RunTime {
	left := newTimeLeftFunc(s, pool.New(s))
	return func(j *policy.Job) RunTime { return RunTime{left(j, scaling.Pace{Speed: 1})} }
}

// chanceWithin is how likely the job runs no longer than a time above zero.
func (r *RunTime) chanceWithin(wait time.Duration) float64 {
	if r.left.median <= 0 || r.left.most > 0 && wait >= r.left.most {
		return 1
	}
	return r.left.chanceWithin(wait)
}

// Chances are how likely a waiting job of which the end was estimated is done by which time.
type Chances struct {
	madeAt  time.Time
	end     Band
	run     RunTime
	correct promiseCorrection
}

// Chances returns those of a job, from its end as it was calibrated at a moment.
func (c *Calibration) Chances(madeAt time.Time, end Band, run RunTime) *Chances {
	return &Chances{madeAt, end, run, c.promises.orAssumed()}
}

// By returns how likely, from .05 to .95, the job is done by a deadline that its owner sets.
func (c *Chances) By(deadline time.Time) float64 {
	return min(max(c.correct.apply(c.Uncorrected(deadline)), leastChance), mostChance)
}

// Uncorrected is By before what came of earlier promises corrects it: what correcting learns from.
func (c *Chances) Uncorrected(deadline time.Time) float64 {
	wait := deadline.Sub(c.madeAt)
	if wait <= 0 {
		return leastPromise
	}
	chance, alone := c.end.chanceBy(c.madeAt, deadline), c.run.chanceWithin(wait)
	return min(max(chance/math.Pow(max(alone, chance), ownersPart), leastPromise), 1-leastPromise)
}

// longestAhead bounds by when something is said to be likely.
const longestAhead = 10 * 365 * 24 * time.Hour

// TimeOf returns the first deadline, to the minute, of which By is a chance, which is at most .95.
func (c *Chances) TimeOf(chance float64) time.Time {
	tooSoon, enough := time.Duration(0), time.Minute
	for c.By(c.madeAt.Add(enough)) < min(chance, mostChance) && enough < longestAhead {
		tooSoon, enough = enough, 2*enough
	}
	for enough-tooSoon > time.Minute {
		if mid := (tooSoon + enough) / 2; c.By(c.madeAt.Add(mid)) < chance {
			tooSoon = mid
		} else {
			enough = mid
		}
	}
	return c.madeAt.Add(enough).Add(time.Minute - 1).Truncate(time.Minute)
}

// chanceBy returns how likely it is that what a band is of, estimated at a moment, happens by a time: the logarithm of
// the wait is distributed about its middle with a spread of its own on either side (logistic).
func (b Band) chanceBy(madeAt, by time.Time) float64 {
	early, middle, late := logWait(b.Early.Sub(madeAt)), logWait(b.Middle.Sub(madeAt)), logWait(b.Late.Sub(madeAt))
	off, spread := logWait(by.Sub(madeAt))-middle, middle-early
	if off > 0 {
		spread = late - middle
	}
	return logistic(edgeLogit * off / max(spread, minLogSigma/10))
}

func logistic(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }
