package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/workload"
)

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
