package evaluation

import (
	"fmt"

	"fairbridge/lab/generate"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// SlurmTableOptions say of which runs the table against Slurm alone is made.
type SlurmTableOptions struct {
	Runs      study.RunKeeper // has the runs that ended, and keeps those made
	MakesNone bool            // no run is made: the table of what is there
	Parallel  int             // runs at a time
	IsQuick   bool            // few short runs, to try the table itself
	SeedCount int             // only the first so many seeds; 0: all
	// ReportProgress is told how far it is.
	ReportProgress func(what string)
}

// The cluster that all workloads of the table meet.
const slurmTableCluster = "4x8"

// comparedWorkload is jobs that vary by seed and load, and the policies that meet them.
type comparedWorkload struct {
	title    string
	policies string                   // a list of names, the baseline first
	choices  []policyset.PolicyChoice // read from it, with the baseline once more after it
	loads    []float64
	shares   []float64 // of jobs that may be stopped
	seeds    int       // from 1
	draw     func(load float64, seed int64) (*study.Scenario, error)
}

// drawDays lets each seed draw so many days.
func drawDays(dayCount float64) func(load float64, seed int64) (*study.Scenario, error) {
	return func(load float64, seed int64) (*study.Scenario, error) {
		return drawScenario("day", generate.WorkloadOptions{OfferedLoad: load, DayCount: dayCount}, seed, slurmTableCluster)
	}
}

// newWholeDays returns whole days, for the policies most asked for.
func newWholeDays(o *SlurmTableOptions) []*comparedWorkload {
	days := &comparedWorkload{
		title: "Drawn days", policies: "slurm,fairbridge,multifactor,easy,sjf,srtf,tiresias,shockwave",
		loads: []float64{1, 1.5, 3}, shares: []float64{0, 0.5, 1}, seeds: 20, draw: drawDays(1),
	}
	if o.IsQuick {
		days.makeQuick()
	}
	return []*comparedWorkload{days}
}

// makeQuick leaves few short runs.
func (w *comparedWorkload) makeQuick() {
	w.policies, w.loads, w.shares, w.seeds, w.draw = "slurm,fairbridge,fifo,easy", []float64{1.5}, []float64{0, 1}, 2, drawDays(0.02)
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
