package study

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/policy/paper"
	"fairbridge/replica/forecast"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/sim"
	"fairbridge/replica/slurmrun"
	"fairbridge/replica/workload"
)

// RunOptions say how a scenario is simulated.
type RunOptions struct {
	ThroughSlurm bool // through the real loop, gate and diff, on a simulated Slurm; else by Exact
	Exact        ExactSimulator
	RestartCost  time.Duration // through Slurm: run time without progress that a restart costs
	Seed         int64
	LoopConfig   bridge.Config // with Slurm: the daemon's configuration; zero: its defaults
	SlurmConfig  sim.Config    // with Slurm: its settings, but for the cluster; zero: its defaults
	Mode         bridge.Mode   // with Slurm: how much of a plan may reach it; "": preempt
	NoiseFactor  float64       // by how much what jobs report, or is predicted of them, is off; 0 and 1: not at all. See noisyPolicy
	// KnowsTruth lets policies know true run times, as only an oracle could; else they
	// learn from the jobs that ended before, as live.
	KnowsTruth bool
	// PredictsNothing tells policies nothing of how long jobs run but their limits: nothing is learnt.
	PredictsNothing bool
	// DecidesUntil is when our loop stops and Slurm goes on alone, after the beginning; 0: never.
	DecidesUntil time.Duration
	// BillingWeights are what GPUs are charged in what accounts used; nil: those of LoopConfig.
	BillingWeights policy.BillingWeights
	// History is what policies have learnt from before the scenario begins.
	History History
}

// DefaultRestartCost is a usual RunOptions.RestartCost.
const DefaultRestartCost = 30 * time.Second

// An ExactSimulator carries plans out at once and exactly, without Slurm.
type ExactSimulator interface {
	Simulate(ExactRun) (*measure.Run, error)
	// Key stands for the settings on which outcomes depend.
	Key() string
	// ClockName is how time passes.
	ClockName() string
	// TellsTruth reports whether policies know true run times by it, whatever the options say.
	TellsTruth() bool
}

// ExactRun is a simulation to be made.
type ExactRun struct {
	*Scenario
	Options        *RunOptions
	System         paper.System
	Policy         policy.Policy
	RunTimes       forecast.RunTimePredictor // nil: nothing is predicted
	ReportProgress func(done, of int)
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
	var runTimes forecast.RunTimePredictor // nil: nothing is predicted
	if !o.PredictsNothing {
		runTimes = o.newLearner(s)
	}
	if o.BillingWeights != nil {
		o.LoopConfig.BillingWeights = o.BillingWeights
	}
	if o.ThroughSlurm {
		return slurmrun.Run(slurmrun.Config{
			Policy: decide, PolicyName: system.Name, Nodes: s.Nodes, Jobs: s.Jobs, SpeedTables: s.SpeedTables, Accounts: s.Accounts,
			Seed: o.Seed, RestartCost: o.RestartCost, ReportProgress: progress, LoopConfig: o.LoopConfig, Mode: o.Mode, SlurmConfig: o.SlurmConfig, DecidesUntil: o.DecidesUntil,
			RunTimes: runTimes, PredictsTruth: o.KnowsTruth,
		})
	}
	if o.Exact == nil {
		return nil, errors.New("nothing simulates it exactly: set RunOptions.Exact, or ThroughSlurm")
	}
	return o.Exact.Simulate(ExactRun{s, &o, system, decide, runTimes, progress})
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
	begin := workload.CalendarTimeAt(0)
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

// RunKeeper keeps runs that ended by keys that stand for what decides their outcome.
type RunKeeper interface {
	FindRun(key string) (*measure.Run, error) // nil: not made yet
	KeepRun(key string, run *measure.Run) error
}

// RunKey stands for everything that decides what becomes of a policy on the scenario, but the
// program: jobs, nodes, accounts, policy and options. Only runs with the default settings of
// the loop, those of Slurm but for fair tree and how far and finely backfill looks, and without a history but the scenario's own, have one.
func (s *Scenario) RunKey(p policyset.PolicyChoice, o RunOptions) (string, error) {
	other := o.SlurmConfig
	other.IsFairTree, other.BackfillWindow, other.BackfillResolution = false, 0, 0
	if !reflect.ValueOf(o.LoopConfig).IsZero() || !reflect.ValueOf(other).IsZero() || o.History.Runs != nil || o.DecidesUntil != 0 {
		return "", errors.New("naming a run: its loop or Slurm has settings of its own, or a history, which a key does not stand for")
	}
	sum := sha256.New()
	if err := s.writeIdentity(sum); err != nil {
		return "", fmt.Errorf("naming a run of %s: %w", s.Name, err)
	}
	exact := ""
	if o.Exact != nil {
		exact = o.Exact.Key()
	}
	fmt.Fprintf(sum, "%s\n%s %v\n%t %s %d %q %g %t\n", p.Label, p.System.Name, p.Params, o.ThroughSlurm, exact, o.Seed, o.Mode, o.NoiseFactor, o.KnowsTruth)
	if o.BillingWeights != nil { // else keys stay what they were
		fmt.Fprintln(sum, "charged by", o.BillingWeights)
	}
	if s := &o.SlurmConfig; s.IsFairTree || s.BackfillWindow != 0 { // likewise
		fmt.Fprintln(sum, "Slurm's fair tree and window", s.IsFairTree, s.BackfillWindow)
	}
	if r := o.SlurmConfig.BackfillResolution; r != 0 { // likewise
		fmt.Fprintln(sum, "backfill's resolution", r)
	}
	if o.PredictsNothing { // likewise
		fmt.Fprintln(sum, "nothing predicted")
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

// writeIdentity writes all of a scenario that simulations depend on.
func (s *Scenario) writeIdentity(w io.Writer) error {
	if slices.ContainsFunc(s.Jobs, func(j workload.Job) bool { return j.Training != nil }) {
		fmt.Fprintf(w, "%+v\n", s.SpeedTables) // maps are printed in the order of their keys
	}
	e := json.NewEncoder(w)
	if s.History.Runs != nil { // else keys stay what they were
		if err := e.Encode(s.History); err != nil {
			return err
		}
	}
	return errors.Join(e.Encode(s.Name), e.Encode(s.Nodes), e.Encode(s.Accounts), e.Encode(s.Jobs))
}

// FindRun reads back the run of a policy that the keeper has; nil: it was not made yet.
func (s *Scenario) FindRun(keeper RunKeeper, p policyset.PolicyChoice, o RunOptions) (*measure.Run, error) {
	run, _, err := s.findRun(keeper, p, o)
	return run, err
}

// findRun is FindRun, and returns the run's key too.
func (s *Scenario) findRun(keeper RunKeeper, p policyset.PolicyChoice, o RunOptions) (*measure.Run, string, error) {
	key, err := s.RunKey(p, o)
	if err != nil {
		return nil, "", err
	}
	run, err := keeper.FindRun(key)
	return run, key, err
}

// RunOrRead is Run, but a run that the keeper has is read back, and one that ends is kept. Kept
// runs have neither samples nor the times that decisions took.
func (s *Scenario) RunOrRead(ctx context.Context, keeper RunKeeper, p policyset.PolicyChoice, o RunOptions) (*measure.Run, error) {
	run, key, err := s.findRun(keeper, p, o)
	if run != nil || err != nil {
		return run, err
	}
	if run, err = s.Run(ctx, p, o, nil); err != nil {
		return nil, err
	}
	run.DecideSeconds, run.Samples = nil, nil
	return run, keeper.KeepRun(key, run)
}
