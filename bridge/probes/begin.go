package probes

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
)

// runWatch knows of which runs no report can have been missed. A probe keeps a job's newest report
// only: of a run that had reported before it was first looked at, the first is not known.
type runWatch struct {
	watched map[runKey]bool
	listed  map[int64]bool // jobs of the last view, running or not
}

// runKey is a run of a job.
type runKey struct {
	job      int64
	restarts int
}

// look takes note of the runs of a view and of their newest reports.
func (w *runWatch) look(v *slurm.View, newest map[int64]*nodeprobe.ProgressReport) {
	now, listed := map[runKey]bool{}, map[int64]bool{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		listed[j.ID] = true
		if j.State != "RUNNING" || j.Restarts == 0 { // a run that still ends after its requeue counts as one restart more already
			continue
		}
		key := runKey{j.ID, j.Restarts}
		isWatched, seen := w.watched[key]
		if !seen {
			isWatched = newest[j.ID] == nil || w.listed[j.ID] // it has begun since the last view, which had the job without this run
		}
		now[key] = isWatched
	}
	w.watched, w.listed = now, listed
}

// begin says how the run that reports began; nil where that says nothing of what a restart costs.
func (w *runWatch) begin(j *slurm.Job, r *nodeprobe.ProgressReport, now time.Time) *bridge.RunBegin {
	if j.State != "RUNNING" || !w.watched[runKey{j.ID, j.Restarts}] || j.EligibleTime.IsZero() || j.EligibleTime.After(j.Start) {
		return nil
	}
	age := time.Duration(r.AgeSeconds * float64(time.Second))
	return &bridge.RunBegin{Account: j.Account, Restarts: j.Restarts, EligibleAt: j.EligibleTime.UTC(), RanFor: now.Add(-age).Sub(j.Start)}
}
