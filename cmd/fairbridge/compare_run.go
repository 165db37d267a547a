package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sync/errgroup"

	"fairbridge/bridge/study/chart"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/trial"
)

// contender is what became of one policy.
type contender struct {
	policyset.Pick
	trial.Spread
	drawn  chart.Policy
	runs   []*kept // by seed
	failed error   // why there are no figures; nil: there are
}

// all simulates every policy with every seed, some at a time.
func (a *arena) all(ctx context.Context, errs io.Writer, parallel int) ([]contender, error) {
	n := len(a.workloads)
	runs := make([]*kept, len(a.picks)*n)
	m := newMeter(errs, len(runs))
	defer m.close()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i := range runs {
		pick, s := a.picks[i%len(a.picks)], i/len(a.picks)
		group.Go(func() error {
			b := *a.bench
			b.Workload = a.workloads[s]
			run, err := b.run(ctx, pick, a.seed+int64(s), m.part(i, pick.Label))
			switch {
			case err == nil:
				runs[i] = keep(run, s == 0)
			case ctx.Err() != nil:
				return err
			default: // it costs the others nothing
				runs[i] = &kept{label: pick.Label, failed: err}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return a.gather(runs), nil
}

// kept is what is needed of a run once it is over.
type kept struct {
	label   string
	seed    int64
	summary measure.Summary
	drawn   chart.Policy // its Rho by job
	jobs    []measure.Outcome
	failed  error
}

func keep(run *measure.Run, course bool) *kept {
	k := &kept{label: run.Policy, seed: run.Seed, summary: run.Summary(), jobs: run.Jobs, drawn: chart.Policy{Label: run.Policy, Rho: run.Rho(), End: run.Makespan, GPUs: run.GPUs}}
	for i := range run.Jobs {
		k.drawn.JCT = append(k.drawn.JCT, run.Jobs[i].Finish-run.Jobs[i].Arrive)
	}
	if course {
		k.drawn.Samples = run.Samples
	}
	return k
}

// gather puts the runs together by policy.
func (a *arena) gather(runs []*kept) []contender {
	var all []contender
	for i, p := range a.picks {
		var of []*kept
		for s := range a.workloads {
			of = append(of, runs[s*len(a.picks)+i])
		}
		all = append(all, contend(p, of))
	}
	return all
}

// contend puts the runs of one policy together. It has no figures if one of them
// failed: those of the other seeds would be of other jobs than everybody's.
func contend(p policyset.Pick, runs []*kept) contender {
	c := contender{Pick: p, runs: runs}
	var summaries []measure.Summary
	for _, k := range runs {
		if k.failed != nil {
			return contender{Pick: p, failed: k.failed}
		}
		summaries = append(summaries, k.summary)
		c.drawn.JCT, c.drawn.Rho = append(c.drawn.JCT, k.drawn.JCT...), append(c.drawn.Rho, k.drawn.Rho...)
	}
	c.drawn.Label, c.drawn.End, c.drawn.GPUs, c.drawn.Samples = runs[0].drawn.Label, runs[0].drawn.End, runs[0].drawn.GPUs, runs[0].drawn.Samples
	c.Spread = trial.NewSpread(summaries)
	return c
}

// failures says which policies failed; nil when none did.
func failures(all []contender) error {
	var names []string
	for i := range all {
		if all[i].failed != nil {
			names = append(names, all[i].Label)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d policies failed: %s", len(names), len(all), strings.Join(names, ", "))
}

// runsOf are all runs that did not fail, in the order of the policies.
func runsOf(all []contender) []*kept {
	var runs []*kept
	for i := range all {
		runs = append(runs, all[i].runs...)
	}
	return runs
}
