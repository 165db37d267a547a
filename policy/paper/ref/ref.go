// Package ref divides GPUs and cores among elastic jobs in proportion to how much their
// speed depends on each, so that no job prefers an equal part of everything, or
// what another has. The others get what they ask, first come, first served.
//
// S. M. Zahedi, B. C. Lee, "REF: Resource Elasticity Fairness with Sharing
// Incentives for Multiprocessors", ASPLOS 2014.
//
// A job's cores are asked with its GPUs, so only the number of GPUs is set; its
// share of the cores stands in the reason.
package ref

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
)

// Policy is REF with its parameters.
type Policy struct {
	Step float64 `param:"step" default:"2" min:"1" help:"factor by which a running job must be able to grow to be worth its restart; 1: any"`
	paper.Limits
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	seen, err := policy.Recall[speedProfiles](s.Memo)
	if err == nil {
		err = seen.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("policy ref: reading what was remembered: %w", err)
	}
	seen = seen.update(s)
	plan, err := engine.Pipeline{
		Name:     "ref",
		Order:    order.ByArrival{},
		Size:     elasticSizer{profiles: seen, minGrowthFactor: f.Step},
		Backfill: backfill.Greedy{},
		Rules:    f.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(seen)
	return plan, nil
}

// System describes REF in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "ref", Title: "Resource Elasticity Fairness", Venue: "ASPLOS", Year: 2014,
		Cite:         `S. M. Zahedi, B. C. Lee, "REF: Resource Elasticity Fairness with Sharing Incentives for Multiprocessors", ASPLOS 2014`,
		Idea:         "Divide each resource among elastic jobs in proportion to how much their speed depends on it.",
		OwnStages:    []string{"order", "size", "backfill"},
		NeededInputs: []string{"speeds that jobs of a class report with different numbers of GPUs and cores", "account weights"},
		Fallback:     "a job of a class without three such profiles counts GPUs alone: an equal part by weight; rigid jobs get what they ask",
		Reproduced:   "the paper's example (18, 4 and 6, 8); sharing incentives for all and within 10 % of the most throughput, which denies them to some",
		Deviations: []string{
			"A job's cores are asked with its GPUs, so only the number of GPUs is set.",
			"Under Slurm the number of GPUs of a job is changed in mode elastic only, and on one node; elsewhere jobs get what they ask, in order of arrival.",
			"The exponents come from what jobs of a class report with several sizes; the paper profiles.",
		},
		MayStarve: true,
	})
}
