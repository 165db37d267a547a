// Package probes turns the samples of the node probes into the devices a
// policy sees: by Slurm's names of GPU types, with what is faulty and how busy
// they are. A node whose probe is silent, stale or of another time is absent,
// which means unknown, never idle.
package probes

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// maxLooks is how many looks at a job beside its neighbours are kept, after the first.
const maxLooks = 60

// neighbourLooks keeps looks at the jobs that share GPUs, by run, since each has the neighbours it has now.
type neighbourLooks map[runKey][]bridge.NeighbourLook

// look adds what a view with new samples shows of jobs that have neighbours, and forgets all others.
func (l neighbourLooks) look(v *slurm.View, fresh []Reading, uses map[policy.JobID][]bridge.DeviceUse, newest map[int64]*nodeprobe.ProgressReport) neighbourLooks {
	isNew := map[policy.JobID]bool{}
	for i := range fresh {
		isNew[fresh[i].Job] = true
	}
	out := neighbourLooks{}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		on, key := uses[policy.JobID(j.ID)], runKey{j.ID, j.Restarts}
		neighbours := neighboursOn(on)
		if j.State != "RUNNING" || len(neighbours) == 0 {
			continue
		}
		looks := l[key]
		if len(looks) > 0 && !slices.Equal(looks[0].Neighbours, neighbours) {
			looks = nil
		}
		if isNew[policy.JobID(j.ID)] {
			looks = append(slices.Clip(looks), newLook(v, j, on, neighbours, looks, newest[j.ID]))
		}
		if len(looks) > maxLooks { // the first says since when
			looks = slices.Delete(slices.Clone(looks), 1, 2)
		}
		if len(looks) > 0 {
			out[key] = looks
		}
	}
	return out
}

// newLook is what is seen of a job on its GPUs now.
func newLook(v *slurm.View, j *slurm.Job, on []bridge.DeviceUse, neighbours []int64, before []bridge.NeighbourLook, r *nodeprobe.ProgressReport) bridge.NeighbourLook {
	out := bridge.NeighbourLook{At: v.At, Neighbours: neighbours, Busy: policy.KnownValue(0)}
	for i := range on {
		u := &on[i]
		out.Busy = addShare(out.Busy, u.Busy, len(on))
		if u.UsedMB.Known && u.TotalMB.Value > 0 {
			out.MemShare = policy.KnownValue(max(out.MemShare.Value, u.UsedMB.Value/u.TotalMB.Value))
		}
	}
	speed := speedFromReport(r, j, v)
	if speed == nil || len(before) == 0 {
		return out
	}
	if at := v.At.Add(-time.Duration(r.AgeSeconds * float64(time.Second))); at.After(before[0].At) {
		out.Speed, out.SpeedAt = &speed.SpeedPoint, r.ReceivedAt.UTC()
	}
	return out
}

// neighboursOn returns the other jobs on any of the devices, ascending.
func neighboursOn(on []bridge.DeviceUse) []int64 {
	var out []int64
	for i := range on {
		out = append(out, on[i].Neighbours...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// addLooks tells of each job that shares GPUs what was seen of it beside its neighbours. Its speed there is not that of
// what it holds.
func (p *Probes) addLooks() {
	for key, looks := range p.looks {
		if use, ok := p.useByJob[key.job]; ok {
			use.Shared, use.Speed = looks, nil
			p.useByJob[key.job] = use
		}
	}
}

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
