package predict

import (
	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Progress extrapolates the share of its work a job reports as done: what took
// so long for that share takes in proportion for the rest.
type Progress struct{}

// Predict implements engine.Predictor.
func (Progress) Predict(_ *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	done := e.Progress.Value
	ran := e.TotalRunTime()
	if !e.Progress.Known || !(done > 0 && done < 1) || ran <= 0 {
		return engine.TimeLeftEstimate{}
	}
	left := ran.Seconds() * (1 - done) / done
	return engine.TimeLeftEstimate{TimeLeft: policy.DurationFromSeconds(left), Source: FromProgress, Trust: 1}
}

// History passes on what was predicted for the job from the history of its
// user, account, name and size.
type History struct{}

// Predict implements engine.Predictor.
func (History) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	left, sigma := r.PredictedTimeLeft(e.Job)
	if left <= 0 {
		return engine.TimeLeftEstimate{}
	}
	return engine.TimeLeftEstimate{TimeLeft: left, TimeLeftSigma: max(sigma, 0), Source: FromHistory, Trust: r.TrustInPredictions()}
}

// Attained is the rule of thumb for heavy-tailed run times, for a job of which
// nothing is known: it will run as long again as it has run so far.
type Attained struct{}

// Predict implements engine.Predictor.
func (Attained) Predict(_ *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	ran := e.TotalRunTime()
	if ran <= 0 {
		return engine.TimeLeftEstimate{}
	}
	return engine.TimeLeftEstimate{TimeLeft: ran, TimeLeftSigma: ran, Source: FromAttained}
}
