package main

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"fairbridge/bridge/sim/measure"
	"fairbridge/cmd/fairbridge/chart"
	"fairbridge/cmd/fairbridge/roster"
	"fairbridge/cmd/fairbridge/trial"
)

// contender is what became of one policy.
type contender struct {
	roster.Pick
	trial.Spread
	drawn chart.Policy
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
			if err != nil {
				return err
			}
			runs[i] = keep(run, s == 0)
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
	summary measure.Summary
	drawn   chart.Policy
}

func keep(run *measure.Run, course bool) *kept {
	k := &kept{summary: run.Summary(), drawn: chart.Policy{Label: run.Policy, Rho: run.Rho(), End: run.Makespan, GPUs: run.GPUs}}
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
		c := contender{Pick: p, drawn: runs[i].drawn}
		var summaries []measure.Summary
		for s := range a.workloads {
			k := runs[s*len(a.picks)+i]
			summaries = append(summaries, k.summary)
			if s > 0 {
				c.drawn.JCT = append(c.drawn.JCT, k.drawn.JCT...)
				c.drawn.Rho = append(c.drawn.Rho, k.drawn.Rho...)
			}
		}
		c.Spread = trial.NewSpread(summaries)
		all = append(all, c)
	}
	return all
}

// made says by which release a page was made.
func made() string { return fmt.Sprintf("Made by fairbridge %s (%s).", version, commit()) }
