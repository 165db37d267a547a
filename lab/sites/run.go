package sites

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"fairbridge/lab/experiment"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
	"fairbridge/replica/policyset"
	"fairbridge/replica/sim"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// Row is one way to decide, a row of the table.
type Row struct {
	Policy        string // of the catalogue; SlurmAlone
	KnowsTruth    bool   // true run times are known, as no live policy knows them
	HasLongWindow bool   // Slurm alone: backfill looks as far ahead as the longest limit, as the manual recommends
	IsJittered    bool   // Slurm alone: each job arrives up to jitterSeconds later
}

// SlurmAlone is Slurm by itself.
const SlurmAlone = "slurm"

// jitterSeconds is by how much arrivals differ that show what chance does.
const jitterSeconds = 10

// Label names the row.
func (r Row) Label() string {
	switch {
	case r.HasLongWindow:
		return "slurm, backfill to the longest limit"
	case r.IsJittered:
		return "slurm, arrivals jittered"
	case r.KnowsTruth:
		return r.Policy + ", true run times"
	}
	return r.Policy
}

// AllRows are Slurm alone in three ways, then each policy as it learns, then with true run times those that predict.
func AllRows(policies []policyset.PolicyChoice) []Row {
	rows := []Row{{Policy: SlurmAlone}, {Policy: SlurmAlone, HasLongWindow: true}, {Policy: SlurmAlone, IsJittered: true}}
	for _, p := range policies {
		rows = append(rows, Row{Policy: p.Label})
	}
	for _, p := range policies {
		if slices.Contains(p.System.OwnStages, "predict") {
			rows = append(rows, Row{Policy: p.Label, KnowsTruth: true})
		}
	}
	return rows
}

// Options say what is tried.
type Options struct {
	LogFolder      string
	Windows        []Window
	Policies       []policyset.PolicyChoice
	Runs           study.RunKeeper // has the runs that ended, and keeps those made
	Parallel       int             // runs at a time
	ReportProgress func(what string)
}

// SiteResult has the runs on the windows of a site.
type SiteResult struct {
	Site
	Windows []Window
	// HasLongWindow says that the baseline's backfill looks as far ahead as the longest limit: there Slurm alone waits less.
	HasLongWindow bool
	RunsByRow     map[Row][]*measure.Run // by window
}

// Run runs every row on every window, and returns the sites in the order of the windows. Policies run over the Slurm
// that is the better one by itself.
func Run(ctx context.Context, o Options) ([]*SiteResult, error) {
	var all []*SiteResult
	for _, w := range o.Windows {
		i := slices.IndexFunc(all, func(r *SiteResult) bool { return r.Site == w.Site })
		if i < 0 {
			i = len(all)
			all = append(all, &SiteResult{Site: w.Site, RunsByRow: map[Row][]*measure.Run{}})
		}
		all[i].Windows = append(all[i].Windows, w)
	}
	for _, r := range all {
		if err := r.run(ctx, &o); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// run runs all rows of the site.
func (r *SiteResult) run(ctx context.Context, o *Options) error {
	log, err := r.Load(o.LogFolder)
	if err != nil {
		return err
	}
	scenarios := make([]*study.Scenario, len(r.Windows))
	for i := range r.Windows {
		if scenarios[i], err = r.Windows[i].Take(log); err != nil {
			return err
		}
	}
	rows := AllRows(o.Policies)
	if err := r.runRows(ctx, o, rows[:2], scenarios); err != nil {
		return err
	}
	r.HasLongWindow = meanWait(r.RunsByRow[rows[1]]) < meanWait(r.RunsByRow[rows[0]])
	return r.runRows(ctx, o, rows[2:], scenarios)
}

// meanWait is the geometric mean of the runs' mean waits, a second at least.
func meanWait(runs []*measure.Run) float64 {
	set, values := paired.NewSet(GPUsPerNode, nil), make([]float64, len(runs))
	wait := set.Figures[set.FigureIndex("mean_wait_s")]
	for i, r := range runs {
		values[i] = max(wait.ValueOf(r), 1)
	}
	return newCell(values, true).value
}

func (r *SiteResult) runRows(ctx context.Context, o *Options, rows []Row, scenarios []*study.Scenario) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.Parallel, 1))
	for _, row := range rows {
		runs := make([]*measure.Run, len(scenarios))
		r.RunsByRow[row] = runs
		for i, s := range scenarios {
			group.Go(func() (err error) {
				began := time.Now()
				runs[i], err = r.runOne(ctx, o, row, s, i)
				o.ReportProgress(fmt.Sprintf("%s: %s, %v", s.Name, row.Label(), time.Since(began).Round(time.Second)))
				return err
			})
		}
	}
	return group.Wait()
}

// runOne makes or reads the run of a row on the window of an index.
func (r *SiteResult) runOne(ctx context.Context, o *Options, row Row, s *study.Scenario, index int) (*measure.Run, error) {
	choices, err := policyset.ParsePolicies(row.Policy, false)
	if err != nil {
		return nil, err
	}
	settings := study.RunOptions{ThroughSlurm: true, KnowsTruth: row.KnowsTruth, SlurmConfig: sim.Config{IsFairTree: true}, Seed: 1}
	if err := experiment.SetClock(&settings, "auto", 0, s); err != nil {
		return nil, err
	}
	if row.HasLongWindow || r.HasLongWindow && row != (Row{Policy: SlurmAlone}) {
		lookToTheLongestLimit(&settings.SlurmConfig, s.Jobs)
	}
	if row.IsJittered {
		own := *s
		own.Jobs = slices.Clone(s.Jobs)
		study.DelayArrivals(own.Jobs, jitterSeconds, 1)
		s = &own
	}
	run, err := s.RunOrRead(ctx, o.Runs, choices[0], settings)
	if err == nil {
		run.Seed = int64(index + 1) // by which runs on one window are paired
	}
	return run, err
}

// lookToTheLongestLimit makes backfill look as far ahead as the longest limit, a day at least, as finely as a minute a
// day: Slurm's manual asks for a coarser resolution with a longer window.
func lookToTheLongestLimit(c *sim.Config, jobs []workload.Job) {
	c.BackfillWindow = 24 * time.Hour
	for i := range jobs {
		c.BackfillWindow = max(c.BackfillWindow, jobs[i].TimeLimit)
	}
	days := (c.BackfillWindow + 24*time.Hour - 1) / (24 * time.Hour)
	c.BackfillResolution = days * time.Minute
}

// Baseline is the row that policies are compared with.
func (r *SiteResult) Baseline() Row { return Row{Policy: SlurmAlone, HasLongWindow: r.HasLongWindow} }
