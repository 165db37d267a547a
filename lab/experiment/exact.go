package experiment

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/fluid"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// Exact simulates without Slurm, by a clock.
type Exact struct {
	Clock exact.Clock
	Name  string // of the clock
	// KeepsNodeShapes: gangs ask for GPUs node by node all the same, as they do through Slurm.
	KeepsNodeShapes bool
	// Information is what jobs with profiles tell; "": as the paper of the policy has it, what they measured for those
	// that let jobs adapt their batch size, else the truth.
	Information goodput.Information
}

// SetClock lets the options simulate by the clock of that name, or for "auto" by the one that fits the scenario: that of
// Pollux' simulator for jobs with profiles, that of ElasticFlow's where tables tell speeds on all sizes, that of
// Shockwave's for training jobs whose speeds stand in others. A round that is not 0 takes the place of the clock's own.
// Through Slurm a restart costs the same.
func SetClock(o *study.RunOptions, name string, round time.Duration, s *study.Scenario) error {
	if name == "auto" {
		name = fittingClock(s)
	}
	c, err := NewClock(name, round)
	o.Exact, o.RestartCost = &Exact{Clock: c, Name: name}, c.RestartCost
	return err
}

func fittingClock(s *study.Scenario) string {
	switch {
	case slices.ContainsFunc(s.Jobs, func(j workload.Job) bool { return j.Goodput != nil }):
		return "pollux"
	case s.SpeedTables.TellsSizes():
		return "elasticflow"
	case slices.ContainsFunc(s.Jobs, func(j workload.Job) bool { return j.Training != nil }):
		return "shockwave"
	}
	return "intervals"
}

// SetRestartCost lets a restart cost so much run time, exactly and through Slurm.
func SetRestartCost(o *study.RunOptions, cost time.Duration) {
	change(o, func(e *Exact) { e.Clock.RestartCost = cost })
	o.RestartCost = cost
}

// SetInformation sets Exact.Information.
func SetInformation(o *study.RunOptions, i goodput.Information) {
	change(o, func(e *Exact) { e.Information = i })
}

// KeepNodeShapes sets Exact.KeepsNodeShapes.
func KeepNodeShapes(o *study.RunOptions) { change(o, func(e *Exact) { e.KeepsNodeShapes = true }) }

// change changes the way of SetClock, of which options that were copied keep the old one.
func change(o *study.RunOptions, do func(*Exact)) {
	changed := *o.Exact.(*Exact)
	do(&changed)
	o.Exact = &changed
}

// Simulate implements study.ExactSimulator.
func (e *Exact) Simulate(r study.ExactRun) (*measure.Run, error) {
	information := e.Information
	switch {
	case information != "":
	case r.System.AdaptsBatches:
		information = goodput.Measured
	default:
		information = goodput.Oracle
	}
	return SimulatorOf(e.Name)(exact.Config{
		Policy: r.Policy, Nodes: r.Nodes, Jobs: r.Jobs, SpeedTables: r.SpeedTables, Accounts: r.Accounts,
		Clock: e.Clock, Seed: r.Options.Seed, BillingWeights: r.Options.LoopConfig.BillingWeights,
		ReportsPlannedRegimes: e.Name == "shockwave", OmitsReasons: true, ReportProgress: r.ReportProgress,
		KeepsNodeShapes: e.KeepsNodeShapes, RunTimes: r.RunTimes, PredictsTruth: r.Options.KnowsTruth, Information: information,
	})
}

// Key implements study.ExactSimulator.
func (e *Exact) Key() string {
	key := fmt.Sprintf("%+v %q", e.Clock, e.Name)
	if e.KeepsNodeShapes { // else keys stay what they were
		key += " node by node"
	}
	if e.Information != "" { // likewise
		key += " jobs tell " + string(e.Information)
	}
	return key
}

// ClockName implements study.ExactSimulator.
func (e *Exact) ClockName() string { return e.Name }

// TellsTruth implements study.ExactSimulator.
func (e *Exact) TellsTruth() bool { return e.Name == fluid.ClockName }
