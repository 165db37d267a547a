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
// all jobs from the same predictions, so no owner gains by lying but about the
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
	"fairbridge/policy/predict"
)

// Policy is Themis with its parameters.
type Policy struct {
	// Method "lp" is Themis as Gavel and Shockwave's simulator understand it.
	Method   string        `param:"method" choices:"auction,lp" default:"auction" help:"the paper's auction, or fractions of time that make the worst ratio smallest"`
	Fairness float64       `param:"fairness" default:"0.8" max:"1" help:"f: the part 1-f of the jobs with the worst ratio bid first"`
	Lease    time.Duration `param:"lease" default:"20m" min:"1" help:"how long a job holds what it won"`
	Truthful bool          `param:"truthful" help:"winners pay, with the end of their leases, what their taking part costs the others"`
	// Alone is what an equal part means. By GPUs a job is slowed only where there
	// are more jobs than GPUs, which is how results are measured; by jobs, as in
	// the paper, every job could use all GPUs.
	Alone string        `param:"alone" choices:"gpus,jobs" default:"gpus" help:"a job alone on its part would be slowed by jobs for each GPU, or by jobs"`
	Round time.Duration `param:"round" default:"10m" min:"1" help:"lp: how long a turn lasts"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (t *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if t.Method == "lp" {
		return t.decideAsSimulator(s)
	}
	last, err := recallLeases(s)
	if err != nil {
		return nil, fmt.Errorf("policy themis: %w", err)
	}
	stage := &arbiter{Policy: t, lastLeases: last}
	plan, err := engine.Pipeline{
		Name:     "themis",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Backfill: backfill.Greedy{},
		Rules:    t.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = stage.newLeases(plan).memo()
	return plan, nil
}
