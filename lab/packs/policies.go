package packs

import (
	"errors"

	"fairbridge/lab/exact"
	"fairbridge/replica/measure"
)

// ClockName is the name of the clock by which Simulate runs.
const ClockName = "muri"

// Simulate is Run for a policy, in the shape of exact.Run: its plans are carried out.
func Simulate(c exact.Config) (*measure.Run, error) {
	if c.Policy == nil {
		return nil, errors.New("a simulation in packs needs a policy")
	}
	if err := exact.CheckClockSuits(c.Jobs, c.Clock); err != nil {
		return nil, err
	}
	rule := newPlans(&c)
	run, err := Run(Config{
		System: System{Rule: rule}, Nodes: c.Nodes, Jobs: c.Jobs, Seed: c.Seed, ReportProgress: c.ReportProgress,
	})
	if err == nil {
		run.PolicyName = rule.policyName
	}
	return run, err
}
