package mlfrl

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/learner"
	"fairbridge/policy"
	"fairbridge/policy/paper/mlfs"
)

// Outcome is what came of a workload.
type Outcome struct {
	MeanSeconds float64 `json:"mean_s"` // completion time
	Met         float64 `json:"met"`    // part of the deadlines
}

// simulate runs a workload with jobs ranked by a scorer; nil: by the heuristic.
func simulate(source learner.Source, seed int64, s mlfs.Scorer) (Outcome, error) {
	c, err := source.Draw(seed)
	if err != nil {
		return Outcome{}, err
	}
	p, err := newPolicy(s)
	if err != nil {
		return Outcome{}, err
	}
	o, err := Run(c, p)
	if err != nil {
		return Outcome{}, fmt.Errorf("simulating workload %d to learn from: %w", seed, err)
	}
	return o, nil
}

// Run is what comes of a workload with a policy.
func Run(c exact.Config, p policy.Policy) (Outcome, error) {
	c.Policy = p
	run, err := exact.Run(c)
	if err != nil {
		return Outcome{}, err
	}
	met := learner.DeadlinesMet(c.Jobs, run)
	return Outcome{run.Summarize().AvgJCT, met}, nil
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
func (o Outcome) reward(teacher Outcome) float64 {
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

// inParallel does so many things, of which none hangs on another, on all processors.
func inParallel(count int, do func(i int) error) error {
	errs, next := make([]error, count), make(chan int)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		group.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	group.Wait()
	return errors.Join(errs...)
}
