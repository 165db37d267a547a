// Package hug guarantees every account the same progress on all resources together,
// as much of it as possible, and hands out what that leaves without breaking
// the guarantee: within it jobs may displace others, beyond it they run while
// there is room.
//
// M. Chowdhury, Z. Liu, A. Ghodsi, I. Stoica, "HUG: Multi-Resource Fairness for
// Correlated and Elastic Demands", NSDI 2016.
package hug

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/preempt"
)

// Policy is HUG with its parameters.
type Policy struct {
	Cooperative bool          `param:"cooperative" default:"true" help:"accounts may use all that the guarantees leave; false: nothing beyond their guaranteed progress, so that misstating demands wins nothing"`
	Memory      time.Duration `param:"memory" default:"24h" min:"1" help:"time over which the mix of resources an account uses is averaged"`
	Preempt     bool          `param:"preempt" default:"true" help:"stop jobs beyond their account's guarantee for jobs within theirs"`
	paper.Limits
}

// Decide implements policy.Policy.
func (h *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	vectors, err := policy.Recall[correlations](s.Memo)
	if err == nil {
		err = vectors.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("policy hug: reading what was remembered: %w", err)
	}
	d := &resourceDivision{isCooperative: h.Cooperative, averagingTime: h.Memory, correlations: vectors}
	p := engine.Pipeline{
		Name:     "hug",
		Admit:    d,
		Order:    d,
		Backfill: backfill.Greedy{},
		Rules:    h.Rules(),
	}
	if h.Preempt {
		p.Preempt = preempt.ByTier(func(r *engine.Round, e *engine.Entry) int { return min(int(d.entitlementByEntry[e.Index]), 1) })
	}
	plan, err := p.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(d.correlations)
	return plan, nil
}

// System describes HUG in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "hug", Title: "High Utilisation with Guarantees", Venue: "NSDI", Year: 2016,
		Cite:         `M. Chowdhury et al., "HUG: Multi-Resource Fairness for Correlated and Elastic Demands", NSDI 2016`,
		Idea:         "Guarantee all accounts the same progress on all resources together, then lend out the rest.",
		OwnStages:    []string{"admit", "order", "backfill", "preempt"},
		NeededInputs: []string{"GPUs, cores and memory asked", "account weights"},
		Fallback:     "an account without history counts with what its waiting jobs ask; with one scarce resource it is plain fair share",
		Reproduced:   "the worked examples of both stages, cooperative or not; no gain from misstating demands; at the least progress that DRF gives, 49 points more of the less scarce of two GPU types in use (three accounts, median of 7 seeds)",
		Deviations: []string{
			"The resources are GPUs by type, cores and memory; the paper's are mostly the links of a network, which Slurm does not schedule.",
			"Jobs are not divisible: an account has its guarantee but for a job.",
			"What accounts ask is what their jobs ask, so that the proof that misstating brings nothing holds for divisible demands only.",
		},
		MayStarve:      true,
		WorkConserving: true,
	})
}
