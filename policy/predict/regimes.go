package predict

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Regimes predicts the rest of a training job that changes its batch size on
// the way, from the epochs it has been through so far and the batch sizes it
// may use.
type Regimes struct {
	// TakesRegimesInOrder takes the regimes in the order of Training.PossibleRegimes: those before the
	// present one are over, and the epochs left are spread evenly over the others.
	// Otherwise batch sizes are drawn from a Dirichlet distribution whose prior
	// gives every mode as many epochs, and the epochs seen are its counts.
	TakesRegimesInOrder bool
	// RoundsLikeAuthors lets rounding decide, as in the code of Shockwave's
	// authors, whether the Dirichlet counts one epoch more: for the present one,
	// which is seen and still to be done. Otherwise it always counts.
	RoundsLikeAuthors bool
}

// RemainingWork is what is left of a job, in seconds on what it asks.
type RemainingWork struct {
	SecondsLeft      float64
	SecondsLeftSigma float64 // standard error of SecondsLeft
	SecondsDone      float64 // what the completed epochs take
	SecondsPerEpoch  float64 // what one of the epochs so far takes on average
}

// RemainingWork predicts; ok is false for a job that does not report epochs and the
// time they take.
func (p Regimes) RemainingWork(t *policy.Training) (rest RemainingWork, ok bool) {
	if t == nil || t.Epochs <= 0 || len(t.PossibleRegimes) == 0 {
		return RemainingWork{}, false
	}
	rest, ok = sumEpochs(t)
	if !ok {
		return RemainingWork{}, false
	}
	left := float64(t.Epochs - t.EpochsDone)
	modes := make([]float64, len(t.PossibleRegimes))
	if p.TakesRegimesInOrder {
		spreadEpochsEvenly(t, modes)
	} else {
		p.spreadEpochsByDirichlet(t, modes)
	}
	for b, n := range modes {
		rest.SecondsLeft += n * t.PossibleRegimes[b].SecondsPerEpoch
	}
	if left <= 0 || rest.SecondsLeft <= 0 {
		rest.SecondsLeft = 1 // it is about to end
	}
	rest.SecondsLeftSigma = left * epochTimeDeviation(t)
	return rest, true
}

// sumEpochs sums up the epochs so far. The last one seen is the present one, which
// is not done; a job that never ran is in the first of its modes.
func sumEpochs(t *policy.Training) (rest RemainingWork, ok bool) {
	n, last := 0.0, t.PossibleRegimes[0].SecondsPerEpoch
	for _, r := range t.SeenRegimes {
		n += r.Epochs
		last = r.SecondsPerEpoch
		rest.SecondsDone += r.Epochs * last
	}
	if n > 0 {
		rest.SecondsPerEpoch = rest.SecondsDone / n
		rest.SecondsDone -= (n - float64(t.EpochsDone)) * last
	} else {
		rest.SecondsPerEpoch = last
		rest.SecondsDone = float64(t.EpochsDone) * last
	}
	rest.SecondsDone = max(rest.SecondsDone, 0)
	return rest, rest.SecondsPerEpoch > 0 && !math.IsInf(rest.SecondsDone, 0) && !math.IsNaN(rest.SecondsDone)
}

// spreadEpochsByDirichlet returns the epochs left of each mode: prior plus counts, rescaled
// to all epochs, without those seen, scaled to the epochs left. The present
// epoch counts as seen and is still to be done, hence the one more. Products and
// sums are in the order of the authors' code, so that they round alike: what
// is left is a whole number, or a trifle less.
func (p Regimes) spreadEpochsByDirichlet(t *policy.Training, left []float64) {
	all := float64(t.Epochs)
	sum := 0.0
	for b, m := range t.PossibleRegimes {
		left[b] = all/float64(len(t.PossibleRegimes)) + epochsSeen(t, m.BatchSize)
		sum += left[b]
	}
	for b, m := range t.PossibleRegimes {
		left[b] = all * left[b] / sum
		// One epoch after the other is taken off, down to less than one.
		if n := epochsSeen(t, m.BatchSize); n <= left[b] {
			left[b] -= n
		} else {
			left[b] -= math.Floor(left[b])
		}
	}
	rest := 0.0
	for _, n := range left {
		rest += n
	}
	if !p.RoundsLikeAuthors {
		rest += 1e-9
	}
	todo := float64(t.Epochs - t.EpochsDone)
	for b := range left {
		left[b] *= todo / max(todo, math.Floor(rest+1))
	}
}

// spreadEpochsEvenly spreads the epochs left over the present mode and those after it.
func spreadEpochsEvenly(t *policy.Training, left []float64) {
	present := 0
	if n := len(t.SeenRegimes); n > 0 {
		for b, m := range t.PossibleRegimes {
			if m.BatchSize == t.SeenRegimes[n-1].BatchSize {
				present = b
			}
		}
	}
	// The present regime is given what it has not completed of its even share.
	rest, open := float64(max(t.Epochs-t.EpochsDone, 0)), float64(len(left)-present)
	had := 0.0
	if len(t.SeenRegimes) > 0 {
		had = max(t.SeenRegimes[len(t.SeenRegimes)-1].Epochs-1, 0)
	}
	left[present] = min(max((rest+had)/open-had, 0), rest)
	for b := present + 1; b < len(left); b++ {
		left[b] = (rest - left[present]) / (open - 1)
	}
	if open == 1 {
		left[present] = rest
	}
}

// epochsSeen returns the epochs seen of the batch size.
func epochsSeen(t *policy.Training, batch int) float64 {
	n := 0.0
	for _, r := range t.SeenRegimes {
		if r.BatchSize == batch {
			n += r.Epochs
		}
	}
	return n
}

// epochTimeDeviation is the standard deviation of the mean epoch's time under the
// Dirichlet posterior.
func epochTimeDeviation(t *policy.Training) float64 {
	var sum, mean, square float64
	for _, m := range t.PossibleRegimes {
		a := float64(t.Epochs)/float64(len(t.PossibleRegimes)) + epochsSeen(t, m.BatchSize)
		sum += a
		mean += a * m.SecondsPerEpoch
		square += a * m.SecondsPerEpoch * m.SecondsPerEpoch
	}
	mean /= sum
	return math.Sqrt(max(square/sum-mean*mean, 0) / (sum + 1))
}

// Predict implements engine.Predictor.
func (p Regimes) Predict(_ *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	rest, ok := p.RemainingWork(e.Training)
	if !ok {
		return engine.TimeLeftEstimate{}
	}
	return engine.TimeLeftEstimate{TimeLeft: policy.DurationFromSeconds(rest.SecondsLeft), TimeLeftSigma: policy.DurationFromSeconds(rest.SecondsLeftSigma), Source: FromRegimes}
}
