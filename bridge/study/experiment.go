package study

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/published"
)

// Experiment is policies to be run on scenarios.
type Experiment struct {
	Scenarios     []*Scenario // by seed; the same one again where only policies have chance
	Policies      []policyset.PolicyChoice
	RunOptions                          // Seed is that of the first scenario, those of the others follow it
	ClusterSpec   string                // the nodes as they were asked for
	PublishedRows []published.ResultRow // results of others on the same jobs
}

// Result is what became of one policy.
type Result struct {
	Label string
	measure.SummarySpread
	Runs []*measure.Run // by seed; only the first keeps its samples
	Err  error          // why there are no figures; nil: there are
}

// NewResult puts the runs of one policy together.
func NewResult(label string, runs ...*measure.Run) Result {
	var summaries []measure.Summary
	for _, r := range runs {
		summaries = append(summaries, r.Summarize())
	}
	return Result{Label: label, SummarySpread: measure.NewSummarySpread(summaries), Runs: runs}
}

// Run simulates every policy on every scenario, so many at a time, and returns
// the results in the order of the policies. A policy that fails once has no
// figures, and costs the others nothing: those of its other seeds would be of
// other jobs than theirs. The error is the context's. progress, which may be nil,
// is called by several goroutines with the number of a run, its policy and its
// jobs done.
func (e *Experiment) Run(ctx context.Context, parallel int, progress func(run int, label string, done, of int)) ([]Result, error) {
	n := len(e.Policies)
	runs, errs := make([]*measure.Run, n*len(e.Scenarios)), make([]error, n*len(e.Scenarios))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i := range runs {
		group.Go(func() error {
			o, p, report := e.RunOptions, e.Policies[i%n], (func(done, of int))(nil)
			o.Seed += int64(i / n)
			if progress != nil {
				report = func(done, of int) { progress(i, p.Label, done, of) }
			}
			run, err := e.Scenarios[i/n].Run(ctx, p, o, report)
			if err != nil && ctx.Err() != nil {
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
	if err := group.Wait(); err != nil {
		return nil, err
	}
	results := make([]Result, n)
	for i, p := range e.Policies {
		results[i] = gatherResult(p.Label, i, n, runs, errs)
	}
	return results, nil
}

// gatherResult puts every n-th run from the i-th together.
func gatherResult(label string, i, n int, runs []*measure.Run, errs []error) Result {
	var own []*measure.Run
	for ; i < len(runs); i += n {
		if errs[i] != nil {
			return Result{Label: label, Err: errs[i]}
		}
		own = append(own, runs[i])
	}
	return NewResult(label, own...)
}

// CheckFailures says which policies failed; nil when none did.
func CheckFailures(results []Result) error {
	var names []string
	for i := range results {
		if results[i].Err != nil {
			names = append(names, results[i].Label)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d policies failed: %s", len(names), len(results), strings.Join(names, ", "))
}
