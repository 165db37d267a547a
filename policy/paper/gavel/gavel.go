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
	Objective string `param:"objective" choices:"max-min,makespan,finish-time-fairness,throughput,cost,fifo,sjf,hierarchical" default:"max-min" help:"what the fractions are for"`
	Aware     bool   `param:"aware" default:"true" help:"count how fast each job is on each GPU type; otherwise all types are alike"`
	// Within "fifo" gives whoever came first all they can use.
	Within    string             `param:"within" choices:"fairness,fifo" default:"fairness" help:"how an account's share is divided among its jobs, for the hierarchical objective"`
	Costs     map[string]float64 `param:"costs" help:"price of an hour by GPU type, for the cost objective; 1 where not given"`
	Deadlines bool               `param:"deadlines" help:"for throughput and cost: keep the deadlines of jobs, as long as all can be kept"`
	Sharing   bool               `param:"sharing" help:"let two jobs share GPUs where their owners accept it and they report how fast they are beside each other; for max-min, throughput and cost"`
	Round     time.Duration      `param:"round" default:"10m" min:"1" help:"how long a turn lasts"`
	Recompute time.Duration      `param:"recompute" default:"1000s" help:"least time between two computations of the fractions"`
	// Conserve is off in the authors' simulator: such jobs wait there for the next
	// computation.
	Conserve bool `param:"conserve" default:"true" help:"let jobs run where GPUs would idle before they have a fraction"`
	paper.PatientLimits
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
		Rules:    g.Rules(),
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
		return oneKind{p}.divide(g.Objective), nil
	}
	return p.fair(g.Objective)
}
