package evaluation

import (
	"fmt"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/evaluation/targets"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/trace"
)

// SlurmTableOptions say of which runs the table against Slurm alone is made.
type SlurmTableOptions struct {
	Runs       study.RunKeeper // has the runs that ended, and keeps those made
	MakesNone  bool            // no run is made: the table of what is there
	Parallel   int             // runs at a time
	PhillyPath string          // Microsoft's Philly as a table; "": left out
	ITPPath    string          // a cluster of Microsoft's ITP traces; "": left out
	Parts      []string        // names of the sections to write; nil: all
	IsQuick    bool            // few short runs, to try the table itself
	SeedCount  int             // only the first so many seeds; 0: all
	// ReportProgress is told how far it is.
	ReportProgress func(what string)
}

// The cluster that all workloads of the table meet.
const slurmTableCluster = "4x8"

// Jobs of a window of a trace, and of a day the part that is drawn for all policies: what fits
// a table of thousands of runs into an hour.
const (
	windowJobs = 100
	partOfDay  = 1.0 / 6
)

// comparedWorkload is jobs that vary by seed and load, and the policies that meet them.
type comparedWorkload struct {
	title, about string
	policies     string                   // a list of names, the baseline first
	choices      []policyset.PolicyChoice // read from it, with the baseline once more after it
	loads        []float64
	shares       []float64 // of jobs that may be stopped
	seeds        int       // from 1
	told         knowledge // what policies are told of how long jobs run
	judgedAs     targets.Workload
	draw         func(load float64, seed int64) (*study.Scenario, error)
}

// drawDays lets each seed draw so many days.
func drawDays(dayCount float64) func(load float64, seed int64) (*study.Scenario, error) {
	return func(load float64, seed int64) (*study.Scenario, error) {
		return drawScenario("day", generate.WorkloadOptions{OfferedLoad: load, DayCount: dayCount}, seed, slurmTableCluster)
	}
}

// newHours returns short parts of drawn days, for all policies.
func newHours(o *SlurmTableOptions) ([]*comparedWorkload, error) {
	w := &comparedWorkload{
		title: "Drawn hours", policies: "slurm,all", loads: []float64{0.7, 1, 1.5, 3}, shares: []float64{0, 0.5, 1}, seeds: 20,
		about: fmt.Sprintf("Each seed draws %.3g hours of a GPU cluster as the Helios study measured them (`--generate day`).", 24*partOfDay),
		draw:  drawDays(partOfDay),
	}
	if o.IsQuick {
		w.makeQuick()
	}
	return []*comparedWorkload{w}, nil
}

// newWholeDays returns whole days, for the policies most asked for, and the same once more under
// policies that know true run times.
func newWholeDays(o *SlurmTableOptions) ([]*comparedWorkload, error) {
	days := &comparedWorkload{
		title: "Drawn days", policies: "slurm,fairbridge,multifactor,easy,sjf,srtf,tiresias,shockwave",
		loads: []float64{1, 1.5, 3}, shares: []float64{0, 0.5, 1}, seeds: 20,
		about: "Each seed draws a day of a GPU cluster as the Helios study measured them (`--generate day`).",
		draw:  drawDays(1),
	}
	known := &comparedWorkload{
		title: "Drawn days, true run times known", policies: "slurm,fairbridge,multifactor,sjf,srtf",
		loads: []float64{1.5}, shares: []float64{0, 1}, seeds: 20, told: knowledge{isTrue: true},
		about: "The same days under policies that know how long each job runs (`--oracle`), as no live one does: the gap to the tables above is that of prediction.",
		draw:  days.draw,
	}
	if o.IsQuick {
		days.makeQuick()
		known.makeQuick()
	}
	return []*comparedWorkload{days, known}, nil
}

// makeQuick leaves few short runs.
func (w *comparedWorkload) makeQuick() {
	w.policies, w.loads, w.shares, w.seeds, w.draw = "slurm,fairbridge,fifo,easy", []float64{1.5}, []float64{0, 1}, 2, drawDays(0.02)
}

// newWindows returns the windows of the traces that are there.
func newWindows(o *SlurmTableOptions) ([]*comparedWorkload, error) {
	var all []*comparedWorkload
	for _, t := range []struct{ title, path, format string }{{"Windows of the Philly trace", o.PhillyPath, "philly"}, {"Windows of an ITP trace", o.ITPPath, "itp"}} {
		if t.path == "" {
			continue
		}
		w, err := newTraceWindows(t.title, t.path, t.format)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// newTraceWindows reads a trace of which each seed takes a window.
func newTraceWindows(title, path, format string) (*comparedWorkload, error) {
	nodes, err := cluster.ParseSpec(slurmTableCluster)
	if err != nil {
		return nil, err
	}
	whole, err := study.LoadScenario(study.ScenarioSource{TracePath: path, TraceOptions: trace.ReadOptions{Format: format, SkipBad: true}, Nodes: nodes})
	if err != nil {
		return nil, err
	}
	return &comparedWorkload{
		title: title, policies: "slurm,all", loads: []float64{1, 1.5}, shares: []float64{0, 0.5, 1}, seeds: 20,
		about: fmt.Sprintf("Each seed takes %d jobs of `%s` that arrived one after the other and fit the cluster; times between arrivals are scaled to the load. Policies have learnt run times from the jobs before it.", windowJobs, whole.Name),
		draw: func(load float64, seed int64) (*study.Scenario, error) {
			w, err := whole.TakeWindow(windowJobs, seed)
			if err != nil {
				return nil, err
			}
			return w.ScaleToLoad(load)
		},
	}, nil
}

// slurmTableCell is a workload at one load, with one part of its jobs that may be stopped.
type slurmTableCell struct {
	*comparedWorkload
	study.Setting
}

// cells are the workload's combinations, by load.
func (w *comparedWorkload) cells() []slurmTableCell {
	var all []slurmTableCell
	for _, load := range w.loads {
		for _, share := range w.shares {
			all = append(all, slurmTableCell{w, study.Setting{OfferedLoad: load, StoppableShare: &share}})
		}
	}
	return all
}

// scenario is the cell's with that seed.
func (c *slurmTableCell) scenario(seed int64) (*study.Scenario, error) {
	s, err := c.draw(c.OfferedLoad, seed)
	if err != nil {
		return nil, fmt.Errorf("%s, %s, seed %d: %w", c.title, c.Setting, seed, err)
	}
	study.SetStoppableShare(s.Jobs, *c.StoppableShare, seed)
	return s, nil
}
