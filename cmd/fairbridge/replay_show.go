package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/replay"
	"fairbridge/bridge/study/trial"
)

// show simulates what was done, says how near that came, and goes on to the
// policies.
func (p *pasting) show(c *cobra.Command, json bool, page, jobs *file) error {
	a := &arena{bench: p.bench}
	for range p.seeds {
		a.workloads = append(a.workloads, p.Workload)
	}
	base, fidelity, err := p.again(c.Context(), c.ErrOrStderr())
	if err != nil {
		return err
	}
	if !json {
		fidelity.print(c.OutOrStdout())
	}
	all := []contender{reality(p.site.Real), base}
	if a.picks = p.others(); len(a.picks) > 0 {
		more, err := a.all(c.Context(), c.ErrOrStderr(), p.parallel)
		if err != nil {
			return err
		}
		all = append(all, more...)
	}
	made := a.page(all, &p.trials)
	made.About = append(made.About, fidelity.sentence())
	if err := page.write(made.write); err != nil {
		return err
	}
	if err := jobs.write(perJob(runsOf(all))); err != nil {
		return err
	}
	if json {
		if err := printLines(c.OutOrStdout(), []faith{fidelity}); err != nil {
			return err
		}
	}
	return a.tell(c.OutOrStdout(), all, json)
}

// others are the policies that are not what was done anyway.
func (p *pasting) others() []policyset.Pick {
	var list []policyset.Pick
	for _, pick := range p.picks {
		if pick.Label != p.base.Label {
			list = append(list, pick)
		}
	}
	return list
}

// again simulates what was done.
func (p *pasting) again(ctx context.Context, errs io.Writer) (contender, faith, error) {
	way := p.way
	way.Slurm, way.Mode, way.Seed = true, p.baseMode, p.seed // what was done was done through Slurm
	m := newMeter(errs, 1)
	defer m.close()
	way.Progress = m.part(0, p.base.Label)
	run, err := p.Workload.Run(ctx, p.base, way)
	if err != nil {
		return contender{}, faith{}, err
	}
	c := reality(run)
	c.Pick = p.base
	return c, faith{p.site.Compare(run)}, nil
}

// reality is a contender of one run.
func reality(run *measure.Run) contender {
	k := keep(run, true)
	return contender{Pick: policyset.Pick{Label: run.Policy}, Spread: trial.NewSpread([]measure.Summary{k.summary}), drawn: k.drawn, runs: []*kept{k}}
}

// faith is a fidelity to be told.
type faith struct {
	replay.Fidelity `json:"fidelity"`
}

// print says how far to trust what follows.
func (f *faith) print(w io.Writer) {
	fmt.Fprintf(w, "How near a simulation of what was done (%s) comes to what happened, for the %s\nthat arrived then:\n\n", f.Policy, count(f.Jobs, "job"))
	t := newNumbers(w, "", "HAPPENED", "SIMULATED", "OFF")
	for _, r := range f.rows() {
		t.add(r.name, fmt.Sprintf("%.1f", r.Real), fmt.Sprintf("%.1f", r.Simulated), off(r.Against))
	}
	t.print()
	fmt.Fprintf(w, "\nRank correlation, job by job: completion %.2f, wait %.2f; half of the waits are off by\n%.0f s or less. Differences between policies that are smaller than this mean nothing.\n\n",
		f.RankJCT, f.RankWait, f.MedianWaitMiss)
}

type faithRow struct {
	name string
	replay.Against
}

func (f *faith) rows() []faithRow {
	return []faithRow{
		{"Makespan", f.Makespan}, {"Mean completion", f.MeanJCT}, {"Median completion", f.MedianJCT},
		{"Mean wait", f.MeanWait}, {"Median wait", f.MedianWait},
	}
}

func off(a replay.Against) string {
	if v := a.Off(); !math.IsNaN(v) {
		return fmt.Sprintf("%+.1f %%", 100*v)
	}
	return "–"
}

// sentence says the same on a page.
func (f *faith) sentence() string {
	s := fmt.Sprintf("Fidelity: a simulation of what was done (%s) is off what happened by", f.Policy)
	for i, r := range f.rows() {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprintf(" %s (%s)", off(r.Against), r.name)
	}
	return s + fmt.Sprintf("; rank correlation of completion %.2f, of wait %.2f.", f.RankJCT, f.RankWait)
}
