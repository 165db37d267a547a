// Package astraea is long-term fairness of GPU time: first among accounts, by what
// each received in a window against its quota, then among the jobs of an
// account, by what each received against what it deserved. Jobs run in leases,
// at whose end they compete again; one that is chosen again runs on.
//
// Z. Ye, P. Sun, W. Gao, T. Zhang, X. Wang, S. Yan, Y. Luo, "ASTRAEA: A Fair
// Deep Learning Scheduler for Multi-Tenant GPU Clusters", TPDS 2022.
package astraea

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/preempt"
)

// Policy is ASTRAEA with its parameters.
type Policy struct {
	Lease       time.Duration `param:"lease" default:"15m" min:"1" help:"how long a job holds its GPUs before it competes again"` // 20 times its checkpoint cost where that is longer
	StarveAfter time.Duration `param:"starve_after" default:"6h" min:"1" help:"wait after which a job goes first in its account"`
	Delay       time.Duration `param:"delay" default:"5m" help:"over-served jobs this young in their lease give way to a new job of their account"`
	Levels      int           `param:"levels" default:"5" min:"1" max:"100" help:"steps of the scale of a job's fairness"`
	Favour      float64       `param:"favour" default:"0.2" max:"1" help:"accounts below this fraction of their quota are served first"`
	Window      time.Duration `param:"window" default:"24h" min:"60" help:"over which an account's recent service is counted"`
	Block       string        `param:"block" choices:"all,starving" default:"all" help:"who holds up those behind when it finds no place"`
	paper.MaxStopsParam
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (a *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := recallDeservedService(s)
	if err != nil {
		return nil, fmt.Errorf("policy astraea: %w", err)
	}
	stage := &allocator{Policy: a, deservedService: last}
	plan, err := engine.Pipeline{
		Name:     "astraea",
		Allocate: stage,
		Backfill: blockingBackfill{a},
		Preempt:  preempt.ByLease,
		// The leases are the shortest runs; the rules only count stops.
		Rules: paper.Limits{MinRunParam: paper.MinRunParam{MinRun: 1}, MaxStopsParam: a.MaxStopsParam, MaxWaitParam: a.MaxWaitParam}.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.deservedService)
	return plan, nil
}

// System describes ASTRAEA in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "astraea", Title: "ASTRAEA: long-term GPU-time fairness", Venue: "TPDS", Year: 2022,
		Cite:         `Z. Ye et al., "ASTRAEA: A Fair Deep Learning Scheduler for Multi-Tenant GPU Clusters", IEEE TPDS 2022`,
		Idea:         "Give each account its quota of GPU time over a day, and each job its part of it, in renewable leases.",
		OwnStages:    []string{"share", "order", "backfill", "preempt"},
		NeededInputs: []string{"account weights and recent service", "GPU time received", "run times of finished jobs (to prefer those about to end)"},
		Fallback:     "none needed: without history no job is thought to be about to end; the default when nothing is known of a job",
		Reproduced: "a day of 8 accounts on 68 GPUs, one of which floods them, medians of 5 seeds: first come, first served has 3.8 times its error towards accounts " +
			"(the paper: up to 9.4 times), Tiresias and Themis 3.2 times; average completion time .96 of EASY's; a job of the others waits for 6 hours and a lease at most; " +
			"the scale of fairness, the accounts' order with quotas 4 and 4, and an idle account served first",
		Deviations: []string{
			"An account's quota below one GPU keeps its fraction; the paper's formula gives it nothing.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_stops": -1, "max_wait": "0s"},
	})
}
