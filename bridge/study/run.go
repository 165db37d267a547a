package study

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/study/clocks"
	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/forecast"
	"fairbridge/bridge/study/goodput"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/slurmrun"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/policy/paper"
)

// RunOptions say how a scenario is simulated.
type RunOptions struct {
	ThroughSlurm bool // through the real loop, gate and diff, on a simulated Slurm; else exactly
	Clock        exact.Clock
	ClockName    string // see SetClock
	Seed         int64
	LoopConfig   bridge.Config // with Slurm: the daemon's configuration; zero: its defaults
	SlurmConfig  sim.Config    // with Slurm: its settings, but for the cluster; zero: its defaults
	Mode         bridge.Mode   // with Slurm: how much of a plan may reach it; "": preempt
	NoiseFactor  float64       // by how much what jobs report, or is predicted of them, is off; 0 and 1: not at all. See noisyPolicy
	// KeepsNodeShapes: without Slurm gangs ask for GPUs node by node all the same; with it they do.
	KeepsNodeShapes bool
	// KnowsTruth lets policies know true run times, as only an oracle could; else they
	// learn from the jobs that ended before, as live.
	KnowsTruth bool
	// PredictsNothing tells policies nothing of how long jobs run but their limits: nothing is learnt.
	PredictsNothing bool
	// Information is what jobs with profiles tell; "": as the paper of the policy has it, what they
	// measured for those that let jobs adapt their batch size, else the truth.
	Information goodput.Information
	// DecidesUntil is when our loop stops and Slurm goes on alone, after the beginning; 0: never.
	DecidesUntil time.Duration
	// BillingWeights are what GPUs are charged in what accounts used; nil: those of LoopConfig.
	BillingWeights policy.BillingWeights
	// History is what policies have learnt from before the scenario begins.
	History History
}

// SetClock sets the clock of that name, or for "auto" the one that fits the
// scenario: that of Pollux' simulator for jobs with profiles, that of ElasticFlow's where
// tables tell speeds on all sizes, that of Shockwave's for training jobs whose speeds stand in others. A round that is not 0 takes the place of the clock's own.
func (o *RunOptions) SetClock(name string, round time.Duration, s *Scenario) (err error) {
	if o.ClockName = name; name == "auto" {
		o.ClockName = "intervals"
		switch {
		case slices.ContainsFunc(s.Jobs, func(j workload.Job) bool { return j.Goodput != nil }):
			o.ClockName = "pollux"
		case s.SpeedTables.TellsSizes():
			o.ClockName = "elasticflow"
		case slices.ContainsFunc(s.Jobs, func(j workload.Job) bool { return j.Training != nil }):
			o.ClockName = "shockwave"
		}
	}
	o.Clock, err = clocks.Settings(o.ClockName, round)
	return err
}

// Run simulates the scenario under a policy. It ends early, with the context's
// error, when the context does: at once, or when a decision that takes long is
// not waited for. progress, which may be nil, is called with the jobs done.
func (s *Scenario) Run(ctx context.Context, p policyset.PolicyChoice, o RunOptions, progress func(done, of int)) (*measure.Run, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("simulating %s on %s: %w", p.Label, s.Name, context.Cause(ctx))
	}
	decide, err := p.NewPolicy()
	if err != nil {
		return nil, err
	}
	if decide != nil { // else it is Slurm by itself
		if o.NoiseFactor > 0 && o.NoiseFactor != 1 {
			decide = noisyPolicy{decide, o.NoiseFactor, o.Seed}
		}
		decide = cancellablePolicy{decide, ctx}
	}
	var run *measure.Run
	ended := make(chan error, 1)
	go func() {
		made, err := s.simulate(decide, p.System, o, progress)
		run = made
		ended <- err
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("simulating %s on %s: %w", p.Label, s.Name, context.Cause(ctx))
	case err = <-ended:
	}
	if err != nil {
		return nil, fmt.Errorf("simulating %s on %s: %w", p.Label, s.Name, err)
	}
	run.PolicyName, run.TraceName, run.Seed, run.HasOneSpeed = p.Label, s.Name, o.Seed, s.hasOneSpeed()
	run.ShareDeficit = run.ComputeShareDeficit(s.AccountWeight)
	return run, nil
}

// AccountWeight is an account's weight, 1 where none is given.
func (s *Scenario) AccountWeight(name string) float64 {
	if i := slices.IndexFunc(s.Accounts, func(a policy.Account) bool { return a.Name == name }); i >= 0 {
		return max(s.Accounts[i].Weight, 0)
	}
	return 1
}

func (s *Scenario) simulate(decide policy.Policy, system paper.System, o RunOptions, progress func(done, of int)) (*measure.Run, error) {
	var runTimes exact.RunTimePredictor // nil: nothing is predicted
	if !o.PredictsNothing {
		runTimes = o.newLearner(s)
	}
	if o.BillingWeights != nil {
		o.LoopConfig.BillingWeights = o.BillingWeights
	}
	if o.ThroughSlurm {
		return slurmrun.Run(slurmrun.Config{
			Policy: decide, PolicyName: system.Name, Nodes: s.Nodes, Jobs: s.Jobs, SpeedTables: s.SpeedTables, Accounts: s.Accounts,
			Seed: o.Seed, RestartCost: o.Clock.RestartCost, ReportProgress: progress, LoopConfig: o.LoopConfig, Mode: o.Mode, SlurmConfig: o.SlurmConfig, DecidesUntil: o.DecidesUntil,
			RunTimes: runTimes, PredictsTruth: o.KnowsTruth,
		})
	}
	return clocks.SimulatorOf(o.ClockName)(exact.Config{
		Policy: decide, Nodes: s.Nodes, Jobs: s.Jobs, SpeedTables: s.SpeedTables, Accounts: s.Accounts,
		Clock: o.Clock, Seed: o.Seed, BillingWeights: o.LoopConfig.BillingWeights, ReportsPlannedRegimes: o.ClockName == "shockwave", OmitsReasons: true, ReportProgress: progress, KeepsNodeShapes: o.KeepsNodeShapes,
		RunTimes: runTimes, PredictsTruth: o.KnowsTruth, Information: o.informationFor(system),
	})
}

// informationFor is what jobs with profiles tell a policy.
func (o *RunOptions) informationFor(system paper.System) goodput.Information {
	switch {
	case o.Information != "":
		return o.Information
	case system.AdaptsBatches:
		return goodput.Measured
	}
	return goodput.Oracle
}

// History is what ended before a scenario begins. The zero History is none.
type History struct {
	Runs  []learn.Run
	Until time.Time // when the scenario begins, by the calendar of the runs
}

// newLearner returns a learner that knows the history, the options' or else the scenario's, by the
// calendar of the simulation.
func (o *RunOptions) newLearner(s *Scenario) *forecast.Learner {
	history := o.History
	if history.Runs == nil {
		history = s.History
	}
	begin := exact.CalendarTimeAt(0)
	if o.ThroughSlurm {
		begin = slurmrun.WorkloadStart(&o.SlurmConfig)
	}
	l, shift := forecast.NewLearner(), begin.Sub(history.Until)
	for _, r := range history.Runs {
		r.Start, r.End = r.Start.Add(shift), r.End.Add(shift)
		if o.ThroughSlurm { // where every job has both
			r.User, r.Name = cmp.Or(r.User, slurmrun.DefaultUser), cmp.Or(r.Name, slurmrun.DefaultJobName)
		}
		l.AddEndedRun(r)
	}
	return l
}

// cancellablePolicy is a policy that stops deciding when the context ends.
type cancellablePolicy struct {
	policy.Policy
	ctx context.Context // a policy gets none, and a simulation asks nothing else
}

// Unwrap returns the policy itself, for a clock that goes by what it is.
func (c cancellablePolicy) Unwrap() policy.Policy { return c.Policy }

// Decide implements policy.Policy.
func (c cancellablePolicy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	return c.Policy.Decide(s)
}
