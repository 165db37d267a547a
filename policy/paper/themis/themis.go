// Package themis equalises the ratio ρ of a job's time to completion here to what it
// would be alone on an equal part of the cluster. GPUs are leased; those whose
// lease ended are offered to the jobs with the worst ρ, and an auction divides
// them so that the product of how much better off the bidders are is largest.
// What they leave goes to the others.
//
// K. Mahajan, A. Balasubramanian, A. Singhvi, S. Venkataraman, A. Akella,
// A. Phanishayee, S. Chawla, "Themis: Fair and Efficient GPU Cluster
// Scheduling", NSDI 2020.
//
// In the paper each application bids for itself. Here the bids are made for
// all jobs from the same predictions, so nobody gains by lying but about the
// size of its gang or its limit. A job bids for its gang or nothing. It cannot
// pay with a part of its gang; with Truthful it pays with the end of its lease.
package themis

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/gavel"
	"fairbridge/policy/predict"
)

// Policy is Themis with its parameters.
type Policy struct {
	// Method is "auction"; or "lp": fractions of time that make the largest ρ
	// smallest, as Gavel and Shockwave's simulator understand Themis.
	Method string
	// Fairness is f: the part 1-f of the jobs with the worst ρ bid first.
	Fairness float64
	Lease    time.Duration // how long a job holds what it won
	Truthful bool          // winners pay the hidden payments
	// Alone is what an equal part means: "gpus": a job alone would be slowed by
	// the number of jobs for each GPU, if that exceeds one, which is how results
	// are measured; or "jobs": by the number of jobs, as in the paper, where
	// every job can use all GPUs.
	Alone string

	Round    time.Duration // lp: how long a turn is thought to last
	MinRun   time.Duration // shortest run before a job may be stopped
	MaxStops int           // stops in a job's life; negative: any number
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (t *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if t.Method == "lp" {
		return t.byLP(s)
	}
	last, err := readLeases(s)
	if err != nil {
		return nil, fmt.Errorf("policy themis: %w", err)
	}
	m := &round{Policy: t, last: last}
	plan, err := engine.Pipeline{
		Name:     "themis",
		Predict:  predict.Ladder{},
		Order:    m,
		Lease:    m,
		Backfill: backfill.Greedy{},
		Rules:    paper.PatientRules(t.MinRun, t.MaxStops, t.MaxWait),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = m.leases(plan).memo()
	return plan, nil
}

// byLP is Gavel with the objective of Themis.
func (t *Policy) byLP(s *policy.Snapshot) (*policy.Plan, error) {
	g := &gavel.Policy{Objective: gavel.FinishTime, Aware: true, Round: t.Round, Recompute: 1000 * time.Second,
		MinRun: t.MinRun, MaxStops: t.MaxStops, MaxWait: t.MaxWait}
	plan, err := g.Decide(s)
	if err != nil {
		return nil, fmt.Errorf("policy themis: %w", err)
	}
	plan.Policy = "themis"
	return plan, nil
}
