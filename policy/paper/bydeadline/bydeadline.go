// Package bydeadline serves the job first that loses most, for each GPU-second it takes, by waiting for
// another: of each job it is said what it is worth to be done at which time. A job whose deadline
// cannot be met any more loses nothing by waiting and goes behind those that can, in place of
// dragging them along. No job is stopped.
//
// D. Betser, on deadlines as service level agreements with simulation-backed negotiation, Master of
// Engineering thesis, MIT 2012 (the idea: values of completion times, and answers by simulation before a job is
// submitted; it has no scheduler of its own). The index: A. P. J. Vepsalainen, T. E. Morton, "Priority Rules for Job Shops with
// Weighted Tardiness Costs", Management Science 1987 (apparent tardiness cost).
package bydeadline

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is the policy with its parameters.
type Policy struct {
	Lookahead  float64 `param:"lookahead" default:"2" min:"0.1" max:"100" help:"how far before its last moment a job with a deadline begins to press, in mean run times of the jobs that wait (the kappa of apparent tardiness cost)"`
	Decay      float64 `param:"decay" default:"1" min:"0.01" max:"100" help:"within what part of the time from its arrival to its deadline a soft deadline loses all its value after it"`
	BestEffort float64 `param:"best_effort" default:"0.01" max:"100" help:"what an hour of delay costs a job without a deadline, or with one that is missed, in values of a deadline"`
	Backfill   string  `param:"backfill" choices:"easy,greedy" default:"easy" help:"who may pass a blocked job: those who do not delay it, or every job"`
	deadline.Rule
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return p.Rule.Decide(s, p.decide)
}

func (p *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	pipeline := engine.Pipeline{
		Name:     "by-deadline",
		Predict:  predict.Ladder{},
		Order:    byValue{p},
		Backfill: backfill.EASY{RunLength: engine.RunLengthByEstimate},
		Rules:    p.Rules(),
	}
	if p.Backfill == "greedy" {
		pipeline.Backfill = backfill.Greedy{}
	}
	return pipeline.Decide(s)
}

// byValue orders by the index.
type byValue struct{ *Policy }

// Order implements engine.Orderer.
func (p byValue) Order(r *engine.Round) ([]*engine.Entry, error) {
	line := p.listValues(r)
	line.sortByIndex(r)
	if !r.OmitReasons {
		line.explain()
	}
	return line.entries(), nil
}

// System describes the policy in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "by-deadline", Title: "By-deadline agreements: what a completion is worth", Venue: "M.Eng. thesis, MIT", Year: 2012,
		Cite:         `D. Betser, by-deadline service level agreements with simulation-backed negotiation, M.Eng. thesis, MIT 2012; index: A. P. J. Vepsalainen, T. E. Morton, "Priority Rules for Job Shops with Weighted Tardiness Costs", Management Science 1987`,
		Idea:         "Say what being done by when is worth; serve the job that loses most, a GPU-second, by waiting; let what is late anyway wait.",
		OwnStages:    []string{"predict", "order", "backfill"},
		NeededInputs: []string{"deadlines", "what they are worth", "how long a job will run"},
		Fallback:     "a job without a deadline loses a little an hour; one without a value is worth as much as the mean of its account; one of unknown length counts as the mean of the others",
		Reproduced:   "the worked examples of the rules: steps, linear costs (Smith's rule), equal jobs (earliest deadline first); the thesis has no figures: in drawn overload of 1.2 of 32 GPUs the deadlines met are worth 2.88 times (2.08 to 4.59, five seeds) those of EDF, 6.10 times FIFO's, 2.18 times those of multifactor and 1.04 times those of SJF, in exact fidelity with run times known",
		Deviations: []string{
			"The thesis is an idea and a prototype that shows users what a schedule does: the index, the search and all constants here are the reference's or ours. Its negotiation is in explain and when, for every policy.",
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"Values are relative to the mean of their account's jobs, so that no account gains by large numbers.",
			"It stops no job. Swaps in a predicted schedule, which the reference has, are left out: on drawn overload they were worth 1 % less than the index alone, at ten times its time.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"deadlines_count": "always", "max_wait": "0s"},
	})
}
