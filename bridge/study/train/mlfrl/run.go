// Package mlfrl teaches the network of policy mlf-rl in the exact simulator: first to score jobs as MLF-H ranks them, then by how
// long jobs take and which deadlines they meet.
package mlfrl

import (
	"fmt"
	"math"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/learner"
	"fairbridge/bridge/study/train/evolve"
	"fairbridge/policy"
	"fairbridge/policy/paper/mlfs"
)

// simulate runs a workload with jobs ranked by a scorer; nil: by the heuristic.
func simulate(source learner.Source, seed int64, s mlfs.Scorer) (evolve.Outcome, error) {
	c, err := source.Draw(seed)
	if err != nil {
		return evolve.Outcome{}, err
	}
	p, err := newPolicy(s)
	if err != nil {
		return evolve.Outcome{}, err
	}
	o, err := Run(c, p)
	if err != nil {
		return evolve.Outcome{}, fmt.Errorf("simulating workload %d to learn from: %w", seed, err)
	}
	return o, nil
}

// Run is what comes of a workload with a policy.
func Run(c exact.Config, p policy.Policy) (evolve.Outcome, error) {
	c.Policy = p
	run, err := exact.Run(c)
	if err != nil {
		return evolve.Outcome{}, err
	}
	return evolve.Outcome{MeanSeconds: run.Summarize().AvgJCT, Met: learner.DeadlinesMet(c.Jobs, run)}, nil
}

// newPolicy is MLF-H as its simulator has it, ranking by a scorer.
func newPolicy(s mlfs.Scorer) (policy.Policy, error) {
	p, err := mlfs.System().New(mlfs.System().SimulatorParams)
	if err != nil || s == nil {
		return p, err
	}
	return mlfs.WithScorer(p.(*mlfs.Policy), s, "a network in training"), nil
}

// rewards of the paper that are simulated: what completion times and deadlines count.
const (
	completionWeight = .5
	deadlineWeight   = .55
)

// reward is how good an outcome is beside that of the teacher on the same workload, which has 1.05 with all deadlines met.
func reward(o, teacher evolve.Outcome) float64 {
	return completionWeight*teacher.MeanSeconds/o.MeanSeconds + deadlineWeight*o.Met
}

// recorder ranks as the heuristic does, and records what it saw and how that ranked it.
type recorder struct {
	every   int // one of so many is recorded: those of one decision are alike
	seen    int
	inputs  [][]float64
	targets []float64
}

// Score implements mlfs.Scorer.
func (r *recorder) Score(features []float64, priority float64) float64 {
	if r.seen++; r.seen%r.every == 0 {
		r.inputs, r.targets = append(r.inputs, features), append(r.targets, target(priority))
	}
	return priority
}

// target is what a network is to score where the heuristic has a priority: of the same order, and small.
func target(priority float64) float64 { return math.Log(max(priority, 1e-6)) / 4 }
