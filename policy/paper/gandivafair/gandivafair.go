// Package gandivafair gives every account with jobs its ticket share of the GPU time.
// The GPUs of a type are handed out by stride: each account has a pass that grows
// with the GPU time it receives over its tickets, and the smallest passes run
// next, gangs as a whole; within an account, the job that received least.
// Accounts whose jobs gain little from fast GPUs trade
// them for the slow ones of accounts whose jobs gain much.
//
// S. Chaudhary, R. Ramjee, M. Sivathanu, N. Kwatra, S. Viswanatha, "Balancing
// Efficiency and Fairness in Heterogeneous GPU Clusters for Deep Learning",
// EuroSys 2020. The paper's strides are per server with a central one for wide
// jobs; here a GPU type takes the place of the server, as Slurm places jobs.
package gandivafair

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is Gandiva-fair with its parameters.
type Policy struct {
	Trade  bool    `param:"trade" default:"true" help:"let accounts exchange fast GPUs for slow ones where both gain"`
	Margin float64 `param:"margin" default:"1.1" min:"1" help:"factor by which the price must at least exceed what fast GPUs gain the seller itself; the price where only one account would buy"`
	// MinRun is the quantum.
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (g *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := recallPasses(s)
	if err != nil {
		return nil, fmt.Errorf("policy gandiva-fair: %w", err)
	}
	stage := &strideScheduler{Policy: g, lastPasses: last}
	plan, err := engine.Pipeline{
		Name:     "gandiva-fair",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Backfill: backfill.Greedy{},
		Rules:    g.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	stage.newPasses.noteHoldings(plan)
	plan.Memo = policy.Remember(stage.newPasses)
	return plan, nil
}

// System describes Gandiva-fair in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "gandiva-fair", Title: "Gandiva_fair: tickets, gang-aware stride and trading of GPU types", Venue: "EuroSys", Year: 2020,
		Cite:         `S. Chaudhary et al., "Balancing Efficiency and Fairness in Heterogeneous GPU Clusters for Deep Learning", EuroSys 2020`,
		Idea:         "Give each account its ticket share of GPU time by stride, and let accounts trade fast GPUs for slow ones.",
		OwnStages:    []string{"predict", "order", "lease"},
		NeededInputs: []string{"account weights", "GPU time received", "speeds by GPU type (to trade)"},
		Fallback:     "accounts whose jobs report no speeds do not trade; the shares hold all the same",
		Reproduced: "8 accounts with more jobs than 72 GPUs of three types can run, medians of 5 seeds: GPU time within 4 % of the tickets for each over 24 hours " +
			"(first come, first served: one has five times that), trading brings 12 % more speed in all and less to none; " +
			"a server of four GPUs with gangs of 1, 1, 2 and 4, tickets 2:1 on one GPU, and trades among three accounts at price 3 and between two at the seller's own gain",
		Deviations: []string{
			"One stride for each GPU type, with gangs as a whole; the paper has one for each server and a central one for gangs that need several.",
			"No balancing of tickets among servers by moving jobs: Slurm places jobs, and a move would be a requeue.",
			"Where a single account would buy, the price is the seller's own gain with the margin: the paper does not say what it is.",
			"Speeds by type are those that jobs report; the paper profiles them.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}
