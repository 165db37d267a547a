// Package edf serves the job with the earliest deadline first and stops others for it. Jobs
// without a deadline come after those with one, in order of arrival. No job is refused:
// where there is too much to do, all late jobs are late, which is what admission (ElasticFlow) is for.
//
// C. L. Liu, J. W. Layland, "Scheduling Algorithms for Multiprogramming in a Hard-Real-Time
// Environment", Journal of the ACM 1973.
package edf

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/sizing"
)

// Policy is earliest deadline first with its parameters.
type Policy struct {
	Sizes string `param:"sizes" choices:"fastest,largest,asked" default:"fastest" help:"on how many GPUs an elastic job runs where there are enough: those it is fastest on, the most of its range, or what it asks"`
	deadline.Rule
	paper.Limits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return p.Rule.Decide(s, p.decide)
}

func (p *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	return engine.Pipeline{
		Name:     "edf",
		Predict:  predict.Ladder{},
		Allocate: byDeadline{p},
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
}

// byDeadline gives devices down the line of deadlines.
type byDeadline struct{ *Policy }

// Allocate implements engine.Allocator.
func (p byDeadline) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := order.ByKeys{order.EarliestDeadlineFirst}.Order(r)
	if err != nil {
		return nil, err
	}
	left, sizes := grant.CountGrantableDevices(r), make([]int, len(line))
	for i, e := range line {
		if grant.CompetesForLease(r, e) {
			sizes[i] = p.largestThatFits(left, e)
		}
		if e.Note = "it has no deadline that counts"; !e.Deadline.IsZero() && !r.OmitReasons {
			e.Note = fmt.Sprintf("its deadline is %s", e.Deadline.UTC().Format("2006-01-02 15:04 MST"))
		}
	}
	return sizing.AssignSizes(r, line, sizes, "jobs with earlier deadlines take its GPUs"), nil
}

// largestThatFits takes the devices of the largest size the job may have of what is left; 0:
// not even the least.
func (p byDeadline) largestThatFits(left grant.FreeByType, e *engine.Entry) int {
	levels := p.levels(e)
	for i := len(levels) - 1; i >= 0; i-- {
		if left.TakeDevices(sizing.TypeOf(e), levels[i]) {
			return levels[i]
		}
	}
	return 0
}

// levels are the sizes the job may run on.
func (p byDeadline) levels(e *engine.Entry) []int {
	levels := sizing.Levels(e)
	switch p.Sizes {
	case "asked":
		return []int{e.DeviceCount()}
	case "fastest":
		return sizing.CutAtFastest(e, levels)
	}
	return levels
}

// System describes earliest deadline first in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "edf", Title: "Earliest deadline first", Venue: "Journal of the ACM", Year: 1973,
		Cite:         `C. L. Liu, J. W. Layland, "Scheduling Algorithms for Multiprogramming in a Hard-Real-Time Environment", Journal of the ACM 1973`,
		Idea:         "Serve the job whose deadline comes first, and stop others for it.",
		OwnStages:    []string{"order", "size", "lease", "backfill"},
		NeededInputs: []string{"deadlines", "how fast an elastic job goes on other sizes"},
		Fallback:     "a job without a deadline comes after those with one, by arrival; an elastic job of whose speed nothing is known gets what it asks",
		Reproduced:   "every figure of the EDF of ElasticFlow's simulator on its Figure 10 configuration: 92 of 100 deadlines met, mean completion 63,318.75 s, the same 8 jobs late; it charges its EDF no restarts (--restart-cost 0s), and with those of its clock (--clock elasticflow) ours takes 63,784.75 s",
		Deviations: []string{
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"Optimal on one machine and for jobs that can be met at all; gangs on many GPUs, min_run and max_stops make it a rule of thumb.",
			"An elastic job gets the size it is fastest on; the baseline of ElasticFlow gives it the most it may have (sizes=largest), though many jobs are slower there.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"deadlines_count": "always", "sizes": "largest", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}
