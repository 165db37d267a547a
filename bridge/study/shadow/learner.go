package shadow

import (
	"context"
	"errors"
	"maps"
	"math"

	"fairbridge/bridge/harm"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/replay"
	"fairbridge/policy/paper"
)

// ErrNoTeacher is returned of a policy that learnt from none.
var ErrNoTeacher = errors.New("the policy has no teacher to be compared with")

// CountLearnerRuns is how many simulations MeasureLearner takes.
func CountLearnerRuns(seeds int) int { return 2 * seeds }

// MeasureLearner compares what a policy that learnt makes of the jobs of a period with what its teacher
// would have made of them, by the mean completion time of those that arrived within it. Both are simulated alike, with sizes that
// change at once, since such a policy need not be live: what that lacks, it lacks in both.
func MeasureLearner(ctx context.Context, site *replay.PastScenario, learner policyset.PolicyChoice, o Options) (m harm.Measurement, err error) {
	if learner.System.Teacher == nil {
		return m, ErrNoTeacher
	}
	teacher := learner
	teacher.Label, teacher.Params = learner.Label+" by its teacher", paper.Params{}
	maps.Copy(teacher.Params, learner.Params)
	maps.Copy(teacher.Params, learner.System.Teacher)
	o.ThroughSlurm, o.History = false, site.History
	if err := o.SetClock("intervals", 0, site.Scenario); err != nil {
		return m, err
	}
	runs, err := simulate(ctx, site, o, []policyset.PolicyChoice{learner, teacher}, 0)
	if err != nil {
		return m, err
	}
	m = harm.Measurement{Since: site.Since, Until: site.Until, Policy: learner.Label, Mode: site.Mode, SeedCount: o.SeedCount, Remarks: site.Remarks}
	m.Figures = []harm.Figure{newCompletionFigure(countedOnly(site, runs[0]), countedOnly(site, runs[1]))}
	m.JobCount = m.Figures[0].JobCount
	return m, nil
}

// newCompletionFigure compares runs seed by seed: the same jobs came at the same moments to both, so
// that chance is in their difference alone, whose standard error is the band.
func newCompletionFigure(learner, teacher []*measure.Run) harm.Figure {
	f := harm.Figure{Kind: harm.Completion}
	var differences []float64
	for k := range learner {
		l, t := learner[k].Summarize().AvgJCT, teacher[k].Summarize().AvgJCT
		n := float64(len(learner))
		f.Live, f.Alone, f.JobCount = f.Live+l/n, f.Alone+t/n, len(learner[k].JobOutcomes)
		differences = append(differences, l-t)
	}
	f.Band = BandWidth * standardDeviation(differences) / math.Sqrt(float64(len(differences)))
	return f
}
