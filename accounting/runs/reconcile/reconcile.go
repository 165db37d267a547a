// Package reconcile says what of a cluster's runs has to be written when a view of Slurm
// or slurmdbd's rows tell something of them: from values to values.
package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
)

// Result is what slurmdbd's word makes of the runs of one job.
type Result struct {
	Runs     []StoredRun          // as they should stand; those not listed stay
	Segments map[RunKey][]Segment // of the runs that slurmdbd told of
	GoneRuns []RunKey             // runs that never were: another one was taken for them
}

// Reconcile computes what slurmdbd's runs of one job change. past are its known runs,
// segs their segments, types the GPU type of nodes that have only one.
func Reconcile(list []DBDRun, past []*StoredRun, segs map[RunKey][]Segment, types map[string]string) (Result, error) {
	out := Result{Segments: map[RunKey][]Segment{}}
	list = splitAtRequeues(list, past, segs)
	was := matchRuns(list, past)
	stay := map[*StoredRun]bool{}
	for _, k := range past {
		stay[k] = true
	}
	for i := range list {
		t, k := &list[i], was[i]
		r := t.newStoredRun()
		if k != nil {
			delete(stay, k)
			r = t.mergeInto(k)
		}
		s, err := segmentsOfRun(t, k, segs[r.RunKey], types)
		if err != nil {
			return Result{}, fmt.Errorf("job %d: %w", r.Job, err)
		}
		out.Segments[r.RunKey], out.Runs = s, append(out.Runs, r)
	}
	for _, k := range past {
		switch {
		case !stay[k]:
		case slices.ContainsFunc(list, func(t DBDRun) bool { return supersedesRun(&t, k) }):
			out.GoneRuns = append(out.GoneRuns, k.RunKey)
		default:
			out.Runs = append(out.Runs, *k)
		}
	}
	setFirstArrival(out.Runs)
	return out, nil
}

// newStoredRun is the run as a row, nothing else being known of it.
func (t *DBDRun) newStoredRun() StoredRun {
	f, l := t.FirstRow(), t.lastRow()
	r := StoredRun{
		RunKey: RunKey{f.ID, f.Submit.Unix(), max(f.Restarts, 0)}, Arrive: f.Submit,
		SLUID: value.ValidText(l.SLUID), Name: value.ValidText(l.Name), User: value.ValidText(l.User), Account: value.ValidText(l.Account), QOS: value.ValidText(l.QOS), Partition: value.ValidText(l.Partition),
		State: value.ValidText(l.State), Reason: value.ValidText(l.Reason), ArrayJob: l.ArrayJob, ArrayTask: l.ArrayTask, Limit: l.TimeLimit, GPUs: gpusOfRow(l),
		Started: value.NullIfZero(t.startTime()), Ended: value.NullIfZero(l.End), Closed: true, Exact: true, FromDBD: t.isFinal,
	}
	return r
}

// mergeInto is the run as a row, merged with what is known of it: what slurmdbd does not
// tell stays, and so does a run that goes on.
func (t *DBDRun) mergeInto(k *StoredRun) StoredRun {
	r := t.newStoredRun()
	if t.isLessKnownThan(k) || !t.isFinal && k.State != resizingState {
		o := *k
		if !o.Arrive.Before(r.Arrive) {
			o.Arrive = r.Arrive
		}
		if r.Started != nil && (o.Started == nil || r.Started.Before(*o.Started)) {
			o.Started = r.Started
		}
		return o
	}
	r.RunKey, r.Reason, r.ArrayJob, r.ArrayTask = k.RunKey, k.Reason, k.ArrayJob, k.ArrayTask
	r.SLUID, r.Name, r.QOS, r.Partition = cmp.Or(r.SLUID, k.SLUID), cmp.Or(r.Name, k.Name), cmp.Or(r.QOS, k.QOS), cmp.Or(r.Partition, k.Partition)
	r.Limit, r.GPUs = cmp.Or(r.Limit, k.Limit), cmp.Or(r.GPUs, k.GPUs)
	if k.Arrive.Before(r.Arrive) {
		r.Arrive = k.Arrive
	}
	if t.isLaterPartOf(k) {
		r.Started = k.Started
	}
	return r
}

// gpusOfRow returns the devices the row held or, if it never ran, asked for.
func gpusOfRow(r *slurmdb.Job) int {
	return cmp.Or(r.AllocatedTRES.GPUCount(), r.RequestedTRES.GPUCount())
}

// maxRequeueGap is within what time of a run's end the next one is submitted when a job
// is requeued.
const maxRequeueGap = 5 * time.Second

// setFirstArrival lets every run of one job arrive when its first run did. Runs are
// sorted by it.
func setFirstArrival(runs []StoredRun) {
	slices.SortFunc(runs, func(a, b StoredRun) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Restarts, b.Restarts))
	})
	for i := 1; i < len(runs); i++ {
		if p, r := &runs[i-1], &runs[i]; isNextRun(p, r) && p.Arrive.Before(r.Arrive) {
			r.Arrive = p.Arrive
		}
	}
}

// isNextRun reports whether r is the run after p of the same job, and not of
// another one with its id.
func isNextRun(p, r *StoredRun) bool {
	if p.User != r.User || !p.Closed {
		return false
	}
	if r.Restarts > 0 {
		return r.Restarts > p.Restarts
	}
	switch p.State {
	case requeuedState, "NODE_FAIL", "PREEMPTED", "BOOT_FAIL":
		return p.Ended != nil && time.Unix(r.Submit, 0).Sub(*p.Ended) <= maxRequeueGap
	}
	return false
}
