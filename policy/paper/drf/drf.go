// Package drf is dominant resource fairness among accounts: the account whose largest
// fraction of any one resource (GPUs of a type, cores, memory), divided by its
// weight, is smallest is served next.
//
// A. Ghodsi, M. Zaharia, B. Hindman, A. Konwinski, S. Shenker, I. Stoica,
// "Dominant Resource Fairness: Fair Allocation of Multiple Resource Types",
// NSDI 2011.
//
// In the paper all tasks of a user are alike, so one that does not fit ends
// its user's turn. Here an account's jobs differ and a later one may fit.
package drf

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
	"fairbridge/policy/share"
)

// Policy is DRF with its parameters.
type Policy struct {
	// Preempt stops the newest jobs first. The paper waits for tasks to end; GPU
	// jobs are too long for that.
	Preempt bool `param:"preempt" default:"true" help:"stop jobs of accounts above their share for accounts below theirs"`
	// Reserve keeps wide jobs from starving; the paper has none.
	Reserve time.Duration `param:"reserve" default:"0s" help:"wait after which the first blocked job gets a reservation; 0s: none"`
	paper.Limits
}

// Decide implements policy.Policy.
func (d *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:     "drf",
		Predict:  predict.Ladder{},
		Share:    share.DominantFairness{},
		Order:    order.BySmallestShare{Meter: share.DominantFairness{}},
		Backfill: backfill.Greedy{},
		Rules:    d.Rules(),
	}
	if d.Reserve > 0 {
		p.Backfill = backfill.ReserveAfter(d.Reserve)
	}
	if d.Preempt {
		p.Preempt = preempt.ByTier(overShareTier)
	}
	return p.Decide(s)
}

// overShareTier is 1 for jobs that lie wholly above their account's share, which
// give way to the others. The job that straddles the share is within it: an
// account may exceed its share by one job.
func overShareTier(_ *engine.Round, e *engine.Entry) int {
	if e.DueGPUs > 0 {
		return 0
	}
	return 1
}

// System describes DRF in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "drf", Title: "Dominant Resource Fairness", Venue: "NSDI", Year: 2011,
		Cite:         `A. Ghodsi et al., "Dominant Resource Fairness: Fair Allocation of Multiple Resource Types", NSDI 2011`,
		Idea:         "Equalise, by weight, the largest fraction of any one resource that each account holds.",
		OwnStages:    []string{"predict", "share", "order", "backfill", "preempt"},
		NeededInputs: []string{"GPUs, cores and memory asked", "account weights"},
		Fallback:     "none needed: it asks nothing of a job but its request",
		Reproduced: "two accounts, one of which floods nodes of 8 GPUs and 64 cores and the other asks for three times the cores, medians of 5 seeds: dominant shares 2 % apart, " +
			"the smaller .59 where half of the cluster gives .5 (first come, first served: the second gets nothing until the first is through); " +
			"the paper's example (9 CPUs, 18 GB: three tasks and two, both at 2/3), 8 GPUs and 64 cores, weights 2:1",
		Deviations: []string{
			"The jobs of an account differ in size, so where one does not fit a later one may; in the paper that ends the account's turn.",
			"Gangs are not divisible: shares are equal but for a job.",
		},
		MayStarve:      true,
		WorkConserving: true,
	})
}
