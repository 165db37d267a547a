package evaluation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"fairbridge/lab/experiment"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// slurmTable is the table while its runs are made.
type slurmTable struct {
	SlurmTableOptions
	workloads []*comparedWorkload

	made  *countingKeeper
	began time.Time
}

// countingKeeper counts the runs that were made and kept.
type countingKeeper struct {
	study.RunKeeper
	count atomic.Int64
}

// KeepRun implements study.RunKeeper.
func (k *countingKeeper) KeepRun(key string, run *measure.Run) error {
	k.count.Add(1)
	return k.RunKeeper.KeepRun(key, run)
}

// chanceLabel is Slurm by itself on the same jobs with another seed: how far ratios are from 1
// by chance.
const chanceLabel = "slurm again"

func newSlurmTable(o SlurmTableOptions) (*slurmTable, error) {
	t := &slurmTable{SlurmTableOptions: o, made: &countingKeeper{RunKeeper: o.Runs}, began: time.Now()}
	t.workloads = newWholeDays(&o)
	var err error
	for _, w := range t.workloads {
		if o.SeedCount > 0 {
			w.seeds = min(w.seeds, o.SeedCount)
		}
		if w.choices, err = policyset.ParsePolicies(w.policies, false); err != nil {
			return nil, err
		}
		again := w.choices[0]
		again.Label = chanceLabel
		w.choices = slices.Insert(w.choices, 1, again)
	}
	return t, nil
}

// countRuns is how many runs the table wants.
func (t *slurmTable) countRuns() int {
	n := 0
	for _, w := range t.workloads {
		n += len(w.loads) * len(w.shares) * w.seeds * len(w.choices)
	}
	return n
}

// makeRuns makes the runs that are not kept yet, the first seed of everything first, so that
// an interrupted table has fewer seeds and nothing is missing of it altogether. A run that
// fails costs the others nothing.
func (t *slurmTable) makeRuns(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(t.Parallel, 1))
	done := 0
	for seed := int64(1); ctx.Err() == nil; seed++ {
		isAny := false
		for _, w := range t.workloads {
			if seed > int64(w.seeds) {
				continue
			}
			isAny = true
			for _, c := range w.cells() {
				s, err := c.scenario(seed)
				if err != nil {
					return errors.Join(err, group.Wait())
				}
				for _, p := range w.choices {
					done++
					before := done
					group.Go(func() error { return t.makeRun(ctx, &c, s, p, seed, before) })
				}
			}
		}
		if !isAny {
			break
		}
	}
	return group.Wait()
}

// makeRun makes one run, unless it is kept; only the context's end is an error.
func (t *slurmTable) makeRun(ctx context.Context, c *slurmTableCell, s *study.Scenario, p policyset.PolicyChoice, seed int64, number int) error {
	o, err := c.runOptions(s, p, seed)
	if err == nil {
		_, err = s.RunOrRead(ctx, t.made, p, o)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.ReportProgress(fmt.Sprintf("failed: %s, %s: %v", c.title, c.Setting, err))
	}
	if number%50 == 0 {
		t.ReportProgress(fmt.Sprintf("%d of %d runs, %d of them made in %v: %s, %s, seed %d", number, t.countRuns(), t.made.count.Load(), time.Since(t.began).Round(time.Second), c.title, c.Setting, seed))
	}
	return nil
}

// runOptions are those of a run of the workload.
func (w *comparedWorkload) runOptions(s *study.Scenario, p policyset.PolicyChoice, seed int64) (study.RunOptions, error) {
	o := study.RunOptions{ThroughSlurm: true, Seed: seed}
	if p.Label == chanceLabel {
		o.Seed += 1_000_000
	}
	return o, experiment.SetClock(&o, "auto", 0, s)
}

// collectRuns reads the runs of a cell, and how many are missing.
func (t *slurmTable) collectRuns(c *slurmTableCell) (*study.Block, int, error) {
	b := &study.Block{Setting: c.Setting, Experiment: &study.Experiment{Policies: c.choices, RunOptions: study.RunOptions{Seed: 1}}, Results: make([]study.Result, len(c.choices))}
	missing := 0
	for seed := int64(1); seed <= int64(c.seeds); seed++ {
		s, err := c.scenario(seed)
		if err != nil {
			return nil, 0, err
		}
		b.Scenarios = append(b.Scenarios, s)
		for i, p := range c.choices {
			run, err := t.findRun(c, s, p, seed)
			if err != nil {
				return nil, 0, err
			}
			if b.Results[i].Label = p.Label; run == nil {
				missing++
				continue
			}
			b.Results[i].Ended = append(b.Results[i].Ended, run)
		}
	}
	return b, missing, nil
}

// findRun reads a run back; nil: there is none.
func (t *slurmTable) findRun(c *slurmTableCell, s *study.Scenario, p policyset.PolicyChoice, seed int64) (*measure.Run, error) {
	o, err := c.runOptions(s, p, seed)
	if err != nil {
		return nil, err
	}
	run, err := s.FindRun(t.Runs, p, o)
	if run != nil {
		run.Seed = seed // that its jobs were drawn with
	}
	return run, err
}
