package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/published"
)

// Experiment is policies to be run on scenarios.
type Experiment struct {
	Scenarios     []*Scenario // by seed; the same one again where only policies have chance
	Policies      []policyset.PolicyChoice
	RunOptions                          // Seed is that of the first scenario, those of the others follow it
	ClusterSpec   string                // the nodes as they were asked for
	PublishedRows []published.ResultRow // results of others on the same jobs
	Runs          RunKeeper             // reads back what it has and keeps what ends; nil: every run is made
	MakesNone     bool                  // with Runs: what is not kept counts as interrupted
}

// FindRun reads back the run of a policy on a scenario, by their positions; nil: it is not kept.
func (e *Experiment) FindRun(runs RunKeeper, scenario, policyIndex int) (*measure.Run, error) {
	return e.Scenarios[scenario].FindRun(runs, e.Policies[policyIndex], e.optionsOf(scenario))
}

// RunOne makes the run of a policy on a scenario, unless it is kept, and keeps it.
func (e *Experiment) RunOne(ctx context.Context, runs RunKeeper, scenario, policyIndex int) (*measure.Run, error) {
	return e.Scenarios[scenario].RunOrRead(ctx, runs, e.Policies[policyIndex], e.optionsOf(scenario))
}

// optionsOf are those of the runs on a scenario.
func (e *Experiment) optionsOf(scenario int) RunOptions {
	o := e.RunOptions
	o.Seed += int64(scenario)
	return o
}

// runOrRead makes a run or, where runs are kept, reads it back.
func (e *Experiment) runOrRead(
	ctx context.Context,
	scenario, policyIndex int,
	report func(done, of int),
) (*measure.Run, error) {
	switch {
	case e.Runs == nil:
		return e.Scenarios[scenario].Run(ctx, e.Policies[policyIndex], e.optionsOf(scenario), report)
	case !e.MakesNone:
		run, err := e.RunOne(ctx, e.Runs, scenario, policyIndex)
		if jobs := len(e.Scenarios[scenario].Jobs); report != nil && err == nil {
			report(jobs, jobs)
		}
		return run, err
	}
	run, err := e.FindRun(e.Runs, scenario, policyIndex)
	if run == nil && err == nil {
		return nil, ErrInterrupted
	}
	return run, err
}

// Result is what became of one policy.
type Result struct {
	Label string
	measure.SummarySpread
	Runs  []*measure.Run // by seed; only the first keeps its samples
	Ended []*measure.Run // by seed, all that ended, also those without figures because others did not
	Err   error          // why there are no figures; nil: there are
}

// NewResult puts the runs of one policy together.
func NewResult(label string, runs ...*measure.Run) Result {
	var summaries []measure.Summary
	for _, r := range runs {
		summaries = append(summaries, r.Summarize())
	}
	return Result{Label: label, SummarySpread: measure.NewSummarySpread(summaries), Runs: runs}
}

// ErrInterrupted is that of a policy that was not through when the context ended.
var ErrInterrupted = errors.New("interrupted")

// Run simulates every policy on every scenario, so many at a time, and returns
// the results in the order of the policies. A policy that fails once has no
// figures, and costs the others nothing: those of its other seeds would be of
// other jobs than theirs. The error is the context's; the results are then those of the
// seeds on which every policy was through. progress, which may be nil,
// is called by several goroutines with the number of a run, its policy and its
// jobs done.
func (e *Experiment) Run(
	ctx context.Context,
	parallel int,
	progress func(run int, label string, done, of int),
) ([]Result, error) {
	n := len(e.Policies)
	runs, errs := make([]*measure.Run, n*len(e.Scenarios)), make([]error, n*len(e.Scenarios))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i := range runs {
		group.Go(func() error {
			report := (func(done, of int))(nil)
			if progress != nil {
				report = func(done, of int) { progress(i, e.Policies[i%n].Label, done, of) }
			}
			run, err := e.runOrRead(ctx, i/n, i%n, report)
			if err != nil && ctx.Err() != nil {
				errs[i] = ErrInterrupted
				return err
			}
			if runs[i], errs[i] = run, err; err == nil {
				if run.DecideSeconds = nil; i >= n {
					run.Samples = nil
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return e.gatherResults(runs, errs), err
}

// gatherResults puts the runs of each policy together: those of all seeds, or, where the runs
// were interrupted, of those seeds that every policy was through with.
func (e *Experiment) gatherResults(runs []*measure.Run, errs []error) []Result {
	n := len(e.Policies)
	var whole []int // seeds
	for seed := range e.Scenarios {
		if !slices.Contains(errs[seed*n:(seed+1)*n], ErrInterrupted) {
			whole = append(whole, seed)
		}
	}
	results := make([]Result, n)
	for i, p := range e.Policies {
		results[i] = gatherResult(p.Label, i, n, whole, runs, errs)
		for k := i; k < len(runs); k += n {
			if runs[k] != nil {
				results[i].Ended = append(results[i].Ended, runs[k])
			}
		}
	}
	return results
}

// gatherResult puts the runs of the i-th of n policies on those seeds together.
func gatherResult(label string, i, n int, seeds []int, runs []*measure.Run, errs []error) Result {
	for k := i; k < len(errs); k += n {
		if errs[k] != nil && errs[k] != ErrInterrupted {
			return Result{Label: label, Err: errs[k]}
		}
	}
	if len(seeds) == 0 {
		return Result{Label: label, Err: ErrInterrupted}
	}
	var own []*measure.Run
	for _, seed := range seeds {
		own = append(own, runs[seed*n+i])
	}
	return NewResult(label, own...)
}

// CheckFailures says which policies failed; nil when none did. To be interrupted is no failure.
func CheckFailures(results []Result) error {
	var names []string
	for i := range results {
		if err := results[i].Err; err != nil && !errors.Is(err, ErrInterrupted) {
			names = append(names, results[i].Label)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d policies failed: %s", len(names), len(results), strings.Join(names, ", "))
}
