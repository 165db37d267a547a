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
	// Restate takes the regimes in the order of Training.PossibleRegimes: those before the
	// present one are over, and the epochs left are spread evenly over the others.
	// Otherwise batch sizes are drawn from a Dirichlet distribution whose prior
	// gives every mode as many epochs, and the epochs seen are its counts.
	Restate bool
}

// Rest is what is left of a job, in seconds on what it asks.
type Rest struct {
	Left  float64
	Sigma float64 // standard error of Left
	Done  float64 // what the completed epochs take
	Epoch float64 // what one of the epochs so far takes on average
}

// Rest predicts; ok is false for a job that does not report epochs and the
// time they take.
func (p Regimes) Rest(t *policy.Training) (rest Rest, ok bool) {
	if t == nil || t.Epochs <= 0 || len(t.PossibleRegimes) == 0 {
		return Rest{}, false
	}
	rest, ok = sumOfEpochs(t)
	if !ok {
		return Rest{}, false
	}
	left := float64(t.Epochs - t.EpochsDone)
	modes := make([]float64, len(t.PossibleRegimes))
	if p.Restate {
		spreadEvenly(t, modes)
	} else {
		dirichlet(t, modes)
	}
	for b, n := range modes {
		rest.Left += n * t.PossibleRegimes[b].SecondsPerEpoch
	}
	if left <= 0 || rest.Left <= 0 {
		rest.Left = 1 // it is about to end
	}
	rest.Sigma = left * epochDeviation(t)
	return rest, true
}

// sumOfEpochs sums up the epochs so far. The last one seen is the present one, which
// is not done; a job that never ran is in the first of its modes.
func sumOfEpochs(t *policy.Training) (rest Rest, ok bool) {
	n, last := 0.0, t.PossibleRegimes[0].SecondsPerEpoch
	for _, r := range t.SeenRegimes {
		n += r.Epochs
		last = r.SecondsPerEpoch
		rest.Done += r.Epochs * last
	}
	if n > 0 {
		rest.Epoch = rest.Done / n
		rest.Done -= (n - float64(t.EpochsDone)) * last
	} else {
		rest.Epoch = last
		rest.Done = float64(t.EpochsDone) * last
	}
	rest.Done = max(rest.Done, 0)
	return rest, rest.Epoch > 0 && !math.IsInf(rest.Done, 0) && !math.IsNaN(rest.Done)
}

// dirichlet returns the epochs left of each mode: prior plus counts, rescaled
// to all epochs, without those seen, scaled to the epochs left. The present
// epoch counts as seen and is still to be done, hence the one more.
func dirichlet(t *policy.Training, left []float64) {
	all := float64(t.Epochs)
	sum := 0.0
	for b, m := range t.PossibleRegimes {
		left[b] = all/float64(len(t.PossibleRegimes)) + epochsSeen(t, m.BatchSize)
		sum += left[b]
	}
	for b, m := range t.PossibleRegimes {
		left[b] *= all / sum
		// One epoch after the other is taken off, down to less than one.
		if n := epochsSeen(t, m.BatchSize); n <= left[b] {
			left[b] -= n
		} else {
			left[b] -= math.Floor(left[b])
		}
	}
	rest := 1.0
	for _, n := range left {
		rest += n
	}
	todo := float64(t.Epochs - t.EpochsDone)
	for b := range left {
		left[b] *= todo / max(todo, math.Floor(rest))
	}
}

// spreadEvenly spreads the epochs left over the present mode and those after it.
func spreadEvenly(t *policy.Training, left []float64) {
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

// epochDeviation is the standard deviation of the mean epoch's time under the
// Dirichlet posterior.
func epochDeviation(t *policy.Training) float64 {
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
func (p Regimes) Predict(_ *engine.Round, e *engine.Entry) engine.Estimate {
	rest, ok := p.Rest(e.Training)
	if !ok {
		return engine.Estimate{}
	}
	return engine.Estimate{Left: policy.DurationFromSeconds(rest.Left), Sigma: policy.DurationFromSeconds(rest.Sigma), From: FromRegimes}
}
