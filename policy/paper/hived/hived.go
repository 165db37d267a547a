// Package hived gives each account a virtual cluster of cells, whole nodes or parts of one, that
// it has whenever it wants them, as if they were its own. What is not in use runs opportunistic
// jobs, which leave when it is wanted.
//
// H. Zhao, Z. Han, Z. Yang, Q. Zhang, F. Yang, L. Zhou, M. Yang, F. C. M. Lau, Y. Wang, Y. Xiong,
// B. Wang, "HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees", OSDI 2020.
package hived

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// Policy is HiveD with its parameters.
type Policy struct {
	Cells []string `param:"cells" help:"cells of each account, like research=4x8 (four cells of 8 GPUs on one node) or vision=8x1:a100; none: every job is opportunistic"`
	paper.MinRunParam
	paper.MaxStopsParam

	quotas []quota
}

// Decide implements policy.Policy.
func (h *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := policy.Recall[memo](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy hived: %w", err)
	}
	stage := &allocator{Policy: h, last: last}
	plan, err := engine.Pipeline{
		Name:     "hived",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Place:    stage,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.NoPreemption,
		Rules:    h.rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.next)
	return plan, nil
}

// rules are the engine's: no job waits for so long that others' cells are reserved for it.
func (h *Policy) rules() engine.Rules {
	return paper.Limits{MinRunParam: h.MinRunParam, MaxStopsParam: h.MaxStopsParam, MaxWaitParam: paper.MaxWaitParam{MaxWait: time.Duration(0)}}.Rules()
}

// System describes HiveD in the catalogue.
func System() paper.System {
	s := paper.DescribeSystem(new(Policy), paper.System{
		Name: "hived", Title: "HiveD: virtual clusters of cells, guaranteed as if they were private", Venue: "OSDI", Year: 2020,
		Cite:         `H. Zhao et al., "HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees", OSDI 2020`,
		Idea:         "Give each tenant cells (whole nodes, halves, pairs, GPUs) rather than a number of GPUs, bind them to the cluster by buddy allocation, and run opportunistic jobs on what is not in use.",
		OwnStages:    []string{"order", "place", "preempt"},
		NeededInputs: []string{"account", "which jobs are opportunistic"},
		Fallback:     "a job of an account without cells is opportunistic; one that may not be stopped runs only beside all that accounts are due",
		Reproduced:   "all 44 expectations of the published scheduler's own cases, to the device; in five drawn days and a half of 8 tenants, 256 GPUs and some 1,300 jobs none waited longer than with nodes of its tenant's own. With quotas that count GPUs .6 % of the gangs wait half an hour longer (median; 1 % expected) where jobs go where they fit best, 13.6 % where they go to the emptiest node",
		Deviations: []string{
			"Slurm chooses the devices of a node: beside it cells within a node are kept by their number, and whole nodes stay whole; in simulations devices are named.",
			"Cells larger than a node are not offered: the racks of the site are not asked for.",
			"Within an account jobs are served strictly by arrival and none is stopped for another of it; the paper leaves that to each tenant's own scheduler.",
			"A job is stopped only if its owner lets it, and after its shortest run: a guaranteed job waits no longer than that for its cells.",
			"An opportunistic job that may not be stopped starts only where nothing that is due is taken by it.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1},
		MayStarve:       true,
	})
	inner := s.New
	s.New = func(given paper.Params) (policy.Policy, error) {
		p, err := inner(given)
		if err != nil {
			return nil, err
		}
		h := p.(*Policy)
		h.quotas, err = readQuotas(h.Cells)
		return h, err
	}
	return s
}
