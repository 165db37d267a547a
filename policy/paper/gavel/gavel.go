// Package gavel computes which fraction of the time each job should run on each type of
// GPU, for one of several objectives, and makes turns of the fractions.
//
// D. Narayanan, K. Santhanam, F. Kazhamiaka, A. Phanishayee, M. Zaharia,
// "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
// Workloads", OSDI 2020.
//
// Where many fractions are optimal on GPUs of one type, those are taken where
// an interior-point solver ends (solve.Fractions), as in the published results.
// On several types the rest of the GPU time goes where it brings most progress.
//
// A job that reports no rates is taken to be equally fast on all types it may
// use, with the remaining time that the ladder of predictions gives.
package gavel

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/rounds"
)

// Policy is Gavel with its parameters.
type Policy struct {
	Objective string // one of gavelObjectives
	// Aware counts how fast each job is on each type; otherwise all types are
	// taken to be alike.
	Aware bool
	// Within is how an account's share is divided in the hierarchical objective:
	// "fairness", or "fifo": whoever came first, all they can use.
	Within string
	// Costs are prices of an hour by GPU type, for the cost objective; 1 each.
	Costs map[string]float64
	// Deadlines asks for the speed that each deadline needs, as long as that is
	// possible, in the throughput and cost objectives.
	Deadlines bool
	// Sharing lets two jobs whose owners accept it share GPUs where they report
	// how fast they are beside each other, for the objectives max-min, throughput
	// and cost.
	Sharing bool

	Round     time.Duration // how long a turn is thought to last
	Recompute time.Duration // least time between two computations
	// Conserve lets jobs that arrived since the last computation run where GPUs
	// would idle; otherwise they wait for the next one, as in the authors'
	// simulator.
	Conserve bool
	MinRun   time.Duration // shortest run before a job may be stopped
	MaxStops int           // stops in a job's life; negative: any number
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// gavelMemo is what is remembered from cycle to cycle.
type gavelMemo struct {
	Rounds rounds.State `json:"book"`
	Alone  gavelAlone   `json:"alone"`
	Pairs  []gavelPair  `json:"pairs,omitempty"`
}

// Decide implements policy.Policy.
func (g *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	memo, err := policy.Recall[gavelMemo](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy gavel: %w", err)
	}
	solver := &gavelSolver{Policy: g, alone: memo.Alone, pairs: memo.Pairs}
	stage := rounds.Allocator{Round: g.Round, Recompute: g.Recompute, Wait: !g.Conserve, Fractions: solver.fractions, State: memo.Rounds}
	pipeline := engine.Pipeline{
		Name:     "gavel",
		Predict:  predict.Ladder{},
		Allocate: &stage,
		Backfill: backfill.Greedy{},
		Rules:    paper.PatientRules(g.MinRun, g.MaxStops, g.MaxWait),
	}
	if g.Sharing {
		pipeline.Pack = besides{solver}
	}
	plan, err := pipeline.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(gavelMemo{stage.State, solver.alone, solver.pairs})
	return plan, nil
}

// gavelSolver computes the fractions for one Decide.
type gavelSolver struct {
	*Policy
	alone gavelAlone
	pairs []gavelPair
}

// fractions is the rounds.Fractions of Gavel.
func (g *gavelSolver) fractions(r *engine.Round, types []string) ([][]float64, error) {
	rows := make([][]float64, len(r.Entries))
	p := newGavelProblem(g.Policy, r, types)
	if g.Objective == FinishTime {
		g.alone = g.alone.next(p)
		p.alone = g.alone.Spent
	}
	g.pairs = nil
	if len(p.jobs) == 0 {
		return rows, nil
	}
	x, err := g.divide(p)
	if err != nil {
		return nil, fmt.Errorf("objective %s for %d jobs on %d types: %w", g.Objective, len(p.jobs), len(types), err)
	}
	for i, j := range p.jobs {
		rows[j.row] = p.spread(x[i])
	}
	return rows, nil
}

// divide returns the fractions by job and kind of GPU.
func (g *gavelSolver) divide(p *gavelProblem) ([][]float64, error) {
	if g.Sharing {
		x, pairs, ok, err := p.pairUp(g.Policy)
		if g.pairs = pairs; ok || err != nil {
			return x, err
		}
	}
	switch g.Objective {
	case hierarchical:
		return p.waterFill(g.Within)
	case throughput, costs, firstCome, shortest:
		return p.most(g.Policy)
	}
	if len(p.capacity) == 1 {
		return p.single(g.Objective), nil
	}
	return p.fair(g.Objective)
}
