package predict

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/recurrence"
)

const (
	// sharedPart is the part of what is uncertain about a run (of the variance of its logarithm) that all
	// runs of its user and name have in common. With half of it the gain is as large (docs/predictor.md).
	sharedPart = .75
	// maxHeardRuns bounds how many running jobs of a name are heard, those that ran longest first.
	maxHeardRuns = 8
	// furthestOff bounds by how many standard deviations a name can be off, in steps of offStep.
	furthestOff, offStep = 3., .5
	longestSeconds       = 10 * 365 * 24 * 3600. // that anything is said to run
)

// StillRunning is another predictor with what jobs that still run tell of waiting ones. The model
// knows only of runs that ended, and of those of a new kind the short ones end first. So where
// jobs of the same user and name (recurrence.Keys) hold GPUs, each of which takes longer than it has run so
// far, a job that never ran is predicted given that they do: runs spread normally on a logarithmic
// scale, a part of that spread is the name's, and the name is judged by Bayes' rule. A prediction
// is never moved below what it was.
type StillRunning struct {
	predictor    engine.Predictor
	snapshot     *policy.Snapshot
	secondsByKey map[recurrence.Key][]float64 // they have run, the longest first; nil: not asked for yet
	known        map[keyEstimate]engine.TimeLeftEstimate
}

// keyEstimate is one prediction for jobs that are recognised alike: many of a sweep share it.
type keyEstimate struct {
	recurrence.Key
	engine.TimeLeftEstimate
}

// NewStillRunning wraps the predictor for one decision.
func NewStillRunning(p engine.Predictor, s *policy.Snapshot) *StillRunning {
	return &StillRunning{predictor: p, snapshot: s}
}

// listRunning notes how long the jobs have run that hold GPUs.
func (k *StillRunning) listRunning() {
	k.secondsByKey, k.known = map[recurrence.Key][]float64{}, map[keyEstimate]engine.TimeLeftEstimate{}
	for i := range k.snapshot.Jobs {
		j := &k.snapshot.Jobs[i]
		ran := j.TotalRunTime().Seconds()
		if !j.HoldsGPUs() || ran <= 1 {
			continue
		}
		for _, key := range recurrence.Keys(j.User, j.Name) {
			k.secondsByKey[key] = append(k.secondsByKey[key], ran)
		}
	}
	for key, ran := range k.secondsByKey {
		slices.SortFunc(ran, func(a, b float64) int { return cmp.Compare(b, a) })
		k.secondsByKey[key] = ran[:min(len(ran), maxHeardRuns)]
	}
}

// Predict implements engine.Predictor.
func (k *StillRunning) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	est := k.predictor.Predict(r, e)
	if est.Source != FromHistory || est.TimeLeftSigma <= 0 || e.HoldsGPUs() || e.TotalRunTime() > 0 {
		return est
	}
	if k.secondsByKey == nil {
		k.listRunning()
	}
	ran, heard, _ := recurrence.Find(k.secondsByKey, e.User, e.Name)
	if len(ran) == 0 {
		return est
	}
	key := keyEstimate{heard, est}
	longer, found := k.known[key]
	if !found {
		longer = outlasting(est, ran)
		k.known[key] = longer
	}
	return withinLimit(r, e, est, longer)
}

// outlasting is the estimate given that runs of the same name last longer than those seconds.
func outlasting(est engine.TimeLeftEstimate, ran []float64) engine.TimeLeftEstimate {
	median := est.TimeLeft.Seconds()
	spread := math.Log1p(est.TimeLeftSigma.Seconds() / median)
	ofName, ofRun := spread*math.Sqrt(sharedPart), spread*math.Sqrt(1-sharedPart)
	longerBy := make([]float64, len(ran)) // logarithms
	for i, a := range ran {
		longerBy[i] = math.Log(a / median)
	}
	most := logLikelihood(longerBy, ofName*furthestOff, ofRun) // it grows with how far the name is off
	var weights, sum, squares float64
	for z := -furthestOff; z <= furthestOff; z += offStep {
		w := math.Exp(logLikelihood(longerBy, ofName*z, ofRun) - most - z*z/2)
		weights, sum, squares = weights+w, sum+w*z, squares+w*z*z
	}
	off := sum / weights
	longer := median * math.Exp(ofName*off)
	rest := math.Hypot(ofRun, ofName*math.Sqrt(max(squares/weights-off*off, 0)))
	est.TimeLeft, est.TimeLeftSigma = upToSecond(longer), upToSecond(longer*math.Expm1(rest))
	return est
}

// logLikelihood is the logarithm of the probability that all runs last longer than the median by those
// logarithms, where the name is off by one.
func logLikelihood(longerBy []float64, off, ofRun float64) (sum float64) {
	for _, l := range longerBy {
		sum += logTail((l - off) / ofRun)
	}
	return sum
}

// logTail is the logarithm of the probability that a normal number is above x. Far out the
// probability is nothing in a float64, but not its logarithm (Abramowitz and Stegun 7.1.23).
func logTail(x float64) float64 {
	if x < 8 {
		return math.Log(math.Erfc(x/math.Sqrt2) / 2)
	}
	return -x*x/2 - math.Log(x*math.Sqrt(2*math.Pi))
}

// withinLimit cuts the longer estimate off at the time limit, but not below what was known before.
func withinLimit(r *engine.Round, e *engine.Entry, est, longer engine.TimeLeftEstimate) engine.TimeLeftEstimate {
	if limit, ok := engine.RunLengthByLimit(r, e); ok {
		longer.TimeLeft = min(longer.TimeLeft, max(limit, est.TimeLeft))
		longer.TimeLeftSigma = min(longer.TimeLeftSigma, max(limit-longer.TimeLeft, time.Second))
	}
	return longer
}

func upToSecond(seconds float64) time.Duration {
	return time.Duration(math.Ceil(min(seconds, longestSeconds))) * time.Second
}
