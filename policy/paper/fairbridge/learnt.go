package fairbridge

import (
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
)

// usageLevelRange bounds, as a factor, how far what an account used moves its jobs: near
// nothing used is no reason to go before all others.
const usageLevelRange = 20

// belowShareFactor is how many times as long a job of an account that used its share or more
// may be and still go before one of an account below its share. With 1 those nearly at their
// share had 1.16 times the slowdown they have by Slurm's order.
const belowShareFactor = 4

// fullTrust is the trust from which on expected lengths count in full: what a first day of
// a cluster reaches is .3 to .5.
const fullTrust = .25

// stoppablePart is the part of the GPUs in use from which on stops mend wrong predictions: a
// job that turns out to be long gives way then. Where half of the jobs or all may be stopped
// the classes of slackOrder do better.
const stoppablePart = .25

// learntOrder is the line where run times are predicted from what ran before and few jobs may be
// stopped. Jobs are compared by their expected length rather than by the median: what a wrong order costs
// is nearly all in long jobs that were thought short, which hold whole nodes for hours.
// There is no class of urgent or of long jobs: both would be those of which the
// prediction is most wrong.
type learntOrder struct {
	*slackOrder
	trust float64 // in predictions, above 0, at most 1
}

// newLearntOrder returns the order where some run time is predicted from what ran before,
// such predictions proved true, and stops cannot mend what is wrong; ok is false elsewhere.
func (l *slackOrder) newLearntOrder(r *engine.Round) (o learntOrder, ok bool) {
	if areStopsOfUse(r.Snapshot) || r.TrustInPredictions() <= 0 || !slices.ContainsFunc(r.Entries, isLearnt) {
		return o, false
	}
	return learntOrder{l, min(r.TrustInPredictions(), 1)}, true
}

// areStopsOfUse reports whether jobs that may be stopped hold more than stoppablePart of the GPUs in use.
func areStopsOfUse(s *policy.Snapshot) bool {
	held, stoppable := 0.0, 0.0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		gpus := j.Ask.GPUs.WholeGPUs()
		if held += gpus; j.UnstoppableReason == "" {
			stoppable += gpus
		}
	}
	return stoppable > stoppablePart*held
}

// predictorFor returns the predictor of one decision: jobs that still run are heard where stops do
// not mend wrong predictions. Where they do, to try a job that may be short is worth more.
func predictorFor(reports *predict.CheckedReports, s *policy.Snapshot) engine.Predictor {
	if areStopsOfUse(s) {
		return reports
	}
	return predict.NewStillRunning(reports, s)
}

func isLearnt(e *engine.Entry) bool { return e.Estimate().Source == predict.FromHistory }

// stickySeconds is the expected length of the job, less for one that runs.
func (o learntOrder) stickySeconds(r *engine.Round, e *engine.Entry) float64 {
	seconds := expectedSeconds(r, e)
	if e.HoldsGPUs() {
		seconds *= o.Sticky
	}
	return seconds
}

// positionOf weighs the expected length of the job, among those of its user, against what its
// account used: twice the length counts as much as four times the usage, and below its share a job
// counts as a quarter as long. Where predictions hardly ever proved true only the account counts,
// as in Slurm's fair share.
func (o learntOrder) positionOf(r *engine.Round, e *engine.Entry, lane float64) position {
	p := position{Entry: e, class: classShort, sortKey: min(o.trust/fullTrust, 1)*math.Log(max(lane, 1)) + o.usageKey(e.Account)}
	if !r.OmitReasons {
		e.Note = fmt.Sprintf("it is expected to take %s more%s", policy.FormatSeconds(expectedSeconds(r, e)), o.usageNote(e.Account))
	}
	return p
}

// usageKey is what the account's use adds to the logarithm of the length of its jobs.
func (o learntOrder) usageKey(account string) float64 {
	level := min(max(o.usageLevel(account), 1./usageLevelRange), usageLevelRange)
	key := math.Log(level) / 2
	if !o.isBelowShare(account) {
		key += math.Log(belowShareFactor)
	}
	return key
}

// expectedSeconds is the mean of what remains if its logarithm spreads normally, which the
// median and the distance from it to the 84 % quantile tell; at most what the limit allows.
func expectedSeconds(r *engine.Round, e *engine.Entry) float64 {
	median, sigma := predict.OnFastestType(r, e).Seconds(), e.Estimate().TimeLeftSigma.Seconds()
	if median <= 0 || sigma <= 0 {
		return median
	}
	spread := math.Log1p(sigma / median)
	mean := median * math.Exp(spread*spread/2)
	if limit, ok := engine.RunLengthByLimit(r, e); ok {
		mean = min(mean, max(limit.Seconds(), median))
	}
	return mean
}
