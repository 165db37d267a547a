package estimate

import (
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
)

// ChanceOfRun returns how likely, from .05 to .95, a running job of a snapshot is done by a time, from what is thought
// to be left of its run: its reports, its prediction or its time limit. A run that its time limit would end first is not
// done. likelyBy is by when it is done with a chance; zero: its time limit may come before.
func ChanceOfRun(s *policy.Snapshot, j *policy.Job, by time.Time, likely float64) (chance float64, likelyBy time.Time) {
	left := newTimeLeftFunc(s, pool.New(s))(j, scaling.HeldPace(j))
	wait := by.Sub(s.Now)
	if left.most > 0 {
		wait = min(wait, left.most)
	}
	if chance = leastChance; wait > 0 {
		chance = min(max(left.chanceWithin(wait), leastChance), mostChance)
	}
	if at := left.quantile(likely); left.most == 0 || at <= left.most {
		likelyBy = s.Now.Add(time.Duration(math.Ceil(at.Minutes())) * time.Minute)
	}
	return chance, likelyBy
}

// chanceWithin is how likely no more than a time, above zero, is left.
func (t *timeLeft) chanceWithin(wait time.Duration) float64 {
	return .5 * math.Erfc(-math.Log(wait.Seconds()/t.median.Seconds())/(t.logSigma*math.Sqrt2))
}

// quantile is the time within which what is left is done with a chance, whatever the limit.
func (t *timeLeft) quantile(chance float64) time.Duration {
	return policy.DurationFromSeconds(t.median.Seconds() * math.Exp(t.logSigma*math.Sqrt2*math.Erfinv(2*chance-1)))
}
