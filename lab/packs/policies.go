package packs

import (
	"errors"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/paper/srtf"
	"fairbridge/policy/paper/tiresias"
	"fairbridge/replica/measure"
)

// ClockName is the name of the clock by which Simulate runs.
const ClockName = "muri"

// wrapper is a policy around another.
type wrapper interface{ Unwrap() policy.Policy }

// restated is the system that Muri's simulator has under the name of a policy, and whether it has
// one. Parameters of the policy do not count, but by which measure srtf goes.
func restated(p policy.Policy) (System, bool) {
	switch p := p.(type) {
	case wrapper:
		return restated(p.Unwrap())
	case *srtf.Policy:
		if p.By == "service" {
			return SRSF(), true
		}
		return SRTF(), true
	case *tiresias.Policy:
		return Tiresias(), true
	}
	return System{}, false
}

// Simulate is Run for a policy of the catalogue, in the shape of exact.Run: by the rule that
// Muri's simulator has under its name, else by its own plans.
func Simulate(c exact.Config) (*measure.Run, error) {
	if c.Policy == nil {
		return nil, errors.New("a simulation in packs needs a policy")
	}
	if err := exact.CheckClockSuits(c.Jobs, c.Clock); err != nil {
		return nil, err
	}
	system, known := restated(c.Policy)
	rule := newPlans(&c)
	if !known {
		system = System{Rule: rule}
	}
	run, err := Run(Config{System: system, Nodes: c.Nodes, Jobs: c.Jobs, Seed: c.Seed, ReportProgress: c.ReportProgress})
	if err == nil && !known {
		run.PolicyName = rule.policyName
	}
	return run, err
}
