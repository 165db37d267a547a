package predict

import "fairbridge/policy"

// Names of the rungs, as they stand in Estimate.From.
const (
	FromProgress = "progress"
	FromHistory  = "history"
	FromLimit    = "limit"
	FromAttained = "attained"
)

// Ladder asks its rungs in turn and keeps the first estimate that knows
// something. Nil stands for all four: the best a job offers.
type Ladder []policy.Predictor

// Predict implements policy.Predictor.
func (l Ladder) Predict(r *policy.Round, e *policy.Entry) policy.Estimate {
	if l == nil {
		l = Ladder{Progress{}, History{}, Limit{}, Attained{}}
	}
	for _, p := range l {
		if est := p.Predict(r, e); est.Left > 0 {
			return est
		}
	}
	return policy.Estimate{}
}
