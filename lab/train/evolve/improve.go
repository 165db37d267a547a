package evolve

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
)

// trial is a workload on which weights are tried, with what its teacher makes of it.
type trial struct {
	Seed    int64   `json:"seed"`
	Teacher Outcome `json:"teacher"`
}

// judgedEvery is after how many rounds weights are judged on workloads that no change is tried on.
const judgedEvery = 5

// judge keeps the weights where they are the best so far, after some rounds and the last.
func (t *Trainer) judge() (said string, err error) {
	said = fmt.Sprintf("improvement, round %d of %d", t.Round, t.Rounds)
	if t.Round%judgedEvery != 0 && t.Round != t.Rounds {
		return said, nil
	}
	reward, err := t.rewardWith(nil, 0, t.Judges)
	if reward > t.Most {
		t.Best, t.Most = t.Net.Clone(), reward
	}
	return fmt.Sprintf("%s: reward %.4f on workloads that it does not learn from, at most %.4f", said, reward, t.Most), err
}

// newTrials draws workloads.
func (t *Trainer) newTrials(count int) ([]trial, error) {
	trials := make([]trial, count)
	for i := range trials {
		trials[i].Seed = t.nextSeed()
	}
	return trials, inParallel(count, func(i int) (err error) {
		trials[i].Teacher, err = t.Simulate(trials[i].Seed, nil)
		return err
	})
}

// improve tries drawn changes of the weights, each with its opposite on the same workloads, and follows what pays.
func (t *Trainer) improve() error {
	trials, err := t.newTrials(t.RunsPerChange)
	if err != nil {
		return err
	}
	all := t.Net.Parameters()
	slope := make([]float64, len(all))
	squares, changes := 0.0, make([][]float64, t.Pairs)
	var gains []float64
	for k := range changes {
		changes[k] = t.draw(all)
	}
	if gains, err = t.gainsOf(changes, trials); err != nil {
		return err
	}
	for _, g := range gains {
		squares += g * g
	}
	for k, change := range changes {
		for i, v := range change {
			slope[i] += gains[k] / math.Sqrt(max(squares, 1e-12)) * v
		}
	}
	for i, w := range all {
		*w += learnRate * slope[i]
	}
	return nil
}

// gainsOf is how much more reward each change has than its opposite, by half.
func (t *Trainer) gainsOf(changes [][]float64, trials []trial) ([]float64, error) {
	rewards := make([]float64, 2*len(changes))
	err := inParallel(len(rewards), func(i int) (err error) {
		rewards[i], err = t.rewardWith(changes[i/2], float64(1-2*(i%2)), trials)
		return err
	})
	gains := make([]float64, len(changes))
	for k := range gains {
		gains[k] = (rewards[2*k] - rewards[2*k+1]) / 2
	}
	return gains, err
}

// draw draws a change of each weight, in proportion to how large it is.
func (t *Trainer) draw(all []*float64) []float64 {
	out := make([]float64, len(all))
	for i := range out {
		out[i] = spread * t.random.NormFloat64() * max(math.Abs(*all[i]), .1)
	}
	return out
}

// rewardWith is the mean reward on the workloads with changed weights.
func (t *Trainer) rewardWith(change []float64, sign float64, trials []trial) (float64, error) {
	changed := t.Net.Clone()
	all := changed.Parameters()
	for i, v := range change {
		*all[i] += sign * v
	}
	rewards := make([]float64, len(trials))
	err := inParallel(len(trials), func(i int) error {
		o, err := t.Simulate(trials[i].Seed, &changed)
		rewards[i] = t.Reward(o, trials[i].Teacher)
		return err
	})
	sum := 0.0
	for _, r := range rewards {
		sum += r
	}
	return sum / float64(len(trials)), err
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
