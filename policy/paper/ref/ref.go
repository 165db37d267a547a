// Package ref divides GPUs and cores among elastic jobs in proportion to how much their
// speed depends on each, so that nobody prefers an equal part of everything, or
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
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
)

// Policy is REF with its parameters.
type Policy struct {
	// Step is by what factor a running job must be able to grow to be worth its
	// restart; 1: any.
	Step     float64
	MinRun   time.Duration // shortest run before a job may be resized
	MaxStops int           // restarts in a job's life; negative: any number
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	seen, err := policy.Recall[refProfiles](s.Memo)
	if err == nil {
		err = seen.check()
	}
	if err != nil {
		return nil, fmt.Errorf("policy ref: reading what was remembered: %w", err)
	}
	seen = seen.next(s)
	plan, err := engine.Pipeline{
		Name:     "ref",
		Order:    order.ByArrival{},
		Size:     refSizer{profiles: seen, step: f.Step},
		Backfill: backfill.Greedy{},
		Rules:    paper.Rules(f.MinRun, f.MaxStops, f.MaxWait),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(seen)
	return plan, nil
}

// System describes REF in the catalogue.
func System() paper.System {
	params := []paper.Param{
		{Name: "step", Kind: paper.Number, Default: 2., Min: 1, Help: "factor by which a running job must be able to grow to be worth its restart; 1: any"},
		paper.MinRunParam, paper.MaxStopsParam, paper.MaxWaitParam,
	}
	return paper.System{
		Name: "ref", Title: "Resource Elasticity Fairness", Venue: "ASPLOS", Year: 2014,
		Cite:       `S. M. Zahedi, B. C. Lee, "REF: Resource Elasticity Fairness with Sharing Incentives for Multiprocessors", ASPLOS 2014`,
		Idea:       "Divide each resource among elastic jobs in proportion to how much their speed depends on it.",
		Stages:     []string{"order", "size", "backfill"},
		Needs:      []string{"speeds that jobs of a class report with different numbers of GPUs and cores", "account weights"},
		Fallback:   "a job of a class without three such profiles counts GPUs alone: an equal part by weight; rigid jobs get what they ask",
		Reproduced: "the paper's example (18, 4 and 6, 8); sharing incentives for all and within 10 % of the most throughput, which denies them to some",
		MayStarve:  true,
		Params:     params,
		New: paper.Construct(params, func(v paper.Values) policy.Policy {
			return &Policy{Step: v.Number("step"), MinRun: v.Duration("min_run"), MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait")}
		}),
	}
}
