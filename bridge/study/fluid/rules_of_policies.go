package fluid

import (
	"errors"
	"fmt"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/measure"
	"fairbridge/policy"
	"fairbridge/policy/paper/afs"
	"fairbridge/policy/paper/fifo"
	"fairbridge/policy/paper/pcs"
	"fairbridge/policy/paper/srtf"
	"fairbridge/policy/paper/themis"
)

// ClockName is the name of the clock by which Simulate runs. Its policies know what every job
// needs.
const ClockName = "pcs"

// wrapper is a policy around another.
type wrapper interface{ Unwrap() policy.Policy }

// ErrNotDivisible is within the error of Simulate for a policy that gives only whole GPUs.
var ErrNotDivisible = errors.New("by this clock GPUs are divided into fractions, and only the policies afs, fifo, pcs, srtf and themis say how")

// RuleOf is how a policy divides GPUs into fractions: the rule that PCS' simulator has under
// its name. Of its parameters only those of pcs that bound queues and give them rates count.
func RuleOf(p policy.Policy) (Rule, error) {
	switch p := p.(type) {
	case wrapper:
		return RuleOf(p.Unwrap())
	case *afs.Policy:
		return AFS(), nil
	case *fifo.Policy:
		return firstCome{}, nil
	case *pcs.Policy:
		classes, settings, err := p.Classes()
		if err != nil {
			return nil, err
		}
		return weightedQueues{plain{}, classes.OfArrival, settings}, nil
	case *srtf.Policy:
		return leastService{}, nil
	case *themis.Policy:
		return finishTimeFair{}, nil
	}
	return nil, ErrNotDivisible
}

// Simulate is Run for a policy of the catalogue, in the shape of exact.Run.
func Simulate(c exact.Config) (*measure.Run, error) {
	rule, err := RuleOf(c.Policy)
	if err != nil {
		return nil, err
	}
	if err := exact.CheckClockSuits(c.Jobs, c.Clock); err != nil {
		return nil, err
	}
	gpus := 0.0
	for i := range c.Nodes {
		gpus += c.Nodes[i].WholeGPUs()
	}
	run, err := Run(Config{GPUs: int(gpus), Jobs: c.Jobs, Rule: rule, Seed: c.Seed, ReportProgress: c.ReportProgress})
	if err != nil {
		return nil, fmt.Errorf("dividing GPUs into fractions: %w", err)
	}
	return run, nil
}
