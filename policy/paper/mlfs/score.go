package mlfs

import (
	"math"
	"slices"

	"fairbridge/policy/engine"
)

// A Scorer says how soon jobs are to be served in place of the heuristic's priority: the larger a score, the sooner. It is given
// what FeatureNames names, and that priority. What it scores must be a number.
type Scorer interface {
	Score(features []float64, priority float64) float64
}

// WithScorer returns the policy with priorities by a scorer. Reasons name it so. Where one of a round's scores is no number, the
// priorities of that round are those of the heuristic.
func WithScorer(p *Policy, s Scorer, name string) *Policy {
	with := *p
	with.scorer, with.scorerName = s, name
	return &with
}

// featureNames name what a scorer sees of a job, in their order. None of them hangs on whether the job runs.
var featureNames = []string{"accuracy", "left", "waited", "has_deadline", "to_deadline", "slack", "gpus", "urgency", "done"}

// FeatureNames are what a scorer sees of a job, in their order.
func FeatureNames() []string { return slices.Clone(featureNames) }

// score takes scores in place of the heuristic's priorities.
func (v *priorities) score(entries []*engine.Entry) {
	if v.scorer == nil {
		return
	}
	scores := make([]float64, len(entries))
	for i, e := range entries {
		scores[i] = v.scorer.Score(v.features(e), v.all[e.Index].sum)
		if math.IsNaN(scores[i]) || math.IsInf(scores[i], 0) {
			v.scorerName = "the heuristic, since a score of the network is no number"
			return
		}
	}
	for i, e := range entries {
		v.all[e.Index].sum = scores[i]
	}
}

// features are what a scorer sees of a job, each about -1 to 1.
func (v *priorities) features(e *engine.Entry) []float64 {
	p := &v.all[e.Index]
	has, ahead, slack := 0., 0., 0.
	if p.toDeadline > 0 {
		has, ahead, slack = 1, logHours(p.toDeadline), math.Tanh(math.Log(p.toDeadline/p.left)/2)
	}
	ran := e.TotalRunTime().Hours()
	return []float64{min(p.accuracy, 4), logHours(p.left), logHours(p.waited + leastTime.Hours()), has, ahead, slack,
		math.Log(max(e.Ask.GPUs.WholeGPUs(), .1)) / 4, math.Log(max(v.urgencyOf(e), .01)) / 4, ran / (ran + p.left)}
}

func logHours(hours float64) float64 { return math.Log(hours) / 4 }
