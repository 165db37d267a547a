package predict

import (
	"fairbridge/policy/engine"
)

// Names of the rungs, as they stand in Estimate.Source.
const (
	FromRegimes  = "regimes" // not on the Ladder
	FromProgress = "progress"
	FromHistory  = engine.FromHistory
	FromLimit    = "limit"
	FromAttained = "attained"
)

// Ladder asks its rungs in turn and keeps the first estimate that knows
// something. An empty one stands for all rungs: the best a job offers.
type Ladder []engine.Predictor

var fullLadder = Ladder{Training{}, Progress{}, History{}, Limit{}, Attained{}}

// Predict implements engine.Predictor.
func (l Ladder) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	if len(l) == 0 {
		l = fullLadder
	}
	for _, p := range l {
		if est := p.Predict(r, e); est.TimeLeft > 0 {
			return est
		}
	}
	return engine.TimeLeftEstimate{}
}
