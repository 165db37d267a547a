package main

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/published"
	"fairbridge/bridge/study/trial"
)

// comparing are the flags of compare.
type comparing struct {
	trials
	generate string
	wish     generate.Options
	seeds    int
	parallel int
	html     string
}

func newCompare(o *options) *cobra.Command {
	t := &comparing{}
	c := &cobra.Command{
		Use:   "compare {--trace FILE | --generate KIND} --cluster SPEC --policy NAME,NAME[,NAME…]",
		Short: "Many policies on the same jobs, in a table and on a page",
		Long: `Simulate many policies, and with --seeds each several times, in parallel. With
--generate every seed draws a workload of its own; of a trace, only policies with
chance differ from seed to seed. Figures are medians, with the least and greatest
behind them. Where a trace is one of those published with results, these stand
below ours. A policy that fails has no figures, its row says why, and the exit
status is 1.

` + trialHelp,
		Example: `  fairbridge compare --trace history.csv --cluster 16x8:a100 --policy fifo,drf,tiresias \
      --html report.html
  fairbridge compare --generate shockwave --seeds 5 --cluster 64 --policy themis,shockwave
  fairbridge compare --generate day --cluster 4x8 --policy easy,drf --per-job jobs.csv`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return t.run(c, o.json) },
	}
	t.flags(c)
	f := c.Flags()
	f.StringVar(&t.generate, "generate", "", "draw the jobs instead of reading a trace: "+trial.KindNames())
	f.IntVar(&t.wish.Jobs, "jobs", 0, "with --generate: how many (default: the kind's own)")
	f.Float64Var(&t.wish.Load, "load", 0, "with --generate: GPU time asked for, as a part of what the cluster has\n(default: the kind's own)")
	f.IntVar(&t.seeds, "seeds", 1, "how many times, with seeds that follow --seed")
	f.IntVar(&t.parallel, "parallel", runtime.GOMAXPROCS(0), "simulations at a time")
	f.StringVar(&t.html, "html", "", "also write a page with drawings to this file")
	return o.reader(c)
}

func (t *comparing) run(c *cobra.Command, json bool) error {
	a, err := t.benches()
	if err != nil {
		return err
	}
	page, err := newFile(t.html)
	if err != nil {
		return err
	}
	defer page.discard()
	jobs, err := newFile(t.perJob)
	if err != nil {
		return err
	}
	defer jobs.discard()
	a.remarks(c.ErrOrStderr())
	all, err := a.all(c.Context(), c.ErrOrStderr(), t.parallel)
	if err != nil {
		return err
	}
	made := a.page(all, &t.trials)
	if err := page.write(made.write); err != nil {
		return err
	}
	if err := jobs.write(perJob(runsOf(all))); err != nil {
		return err
	}
	return a.tell(c.OutOrStdout(), all, json)
}

// arena is a bench for every seed.
type arena struct {
	*bench
	workloads []*trial.Workload // by seed; one workload for all if it was read
	published *published.Set
}

// benches reads the flags and the files they name.
func (t *comparing) benches() (*arena, error) {
	if err := t.check(); err != nil {
		return nil, usageError{err}
	}
	if t.generate == "" {
		b, err := t.bench()
		if err != nil {
			return nil, err
		}
		a := &arena{bench: b, published: published.Find(b.Jobs, b.GPUs())}
		for range t.seeds {
			a.workloads = append(a.workloads, b.Workload)
		}
		return a, nil
	}
	b, err := t.asked()
	if err != nil {
		return nil, usageError{err}
	}
	a := &arena{bench: b}
	for i := range t.seeds {
		w, err := trial.Draw(t.generate, t.wish, t.seed+int64(i), t.source.Nodes)
		if err != nil {
			return nil, usageError{err}
		}
		if t.source.Silent {
			w.Hush()
		}
		a.workloads = append(a.workloads, w)
	}
	b.Workload = a.workloads[0]
	return a, t.tick(b)
}

func (t *comparing) check() error {
	switch {
	case t.seeds < 1 || t.parallel < 1:
		return errors.New("--seeds and --parallel want at least 1")
	case t.generate != "" && (t.source.Trace != "" || t.source.Tables != ""):
		return errors.New("--generate draws jobs and their speeds: leave out --trace and --tables")
	case t.generate == "" && t.wish != (generate.Options{}):
		return errors.New("--jobs and --load say what --generate draws; a trace has its own")
	case t.generate != "":
		t.source.Trace = t.generate // it needs none
	}
	return nil
}
