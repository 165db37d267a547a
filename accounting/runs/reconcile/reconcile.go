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
	Rows     []Row             // as they should stand; those not listed stay
	Segments map[Key][]Segment // of the runs that slurmdbd told of
	Gone     []Key             // runs that never were: another one was taken for them
}

// Reconcile computes what slurmdbd's runs of one job change. past are its known runs,
// segs their segments, types the GPU type of nodes that have only one.
func Reconcile(list []DBDRun, past []*Row, segs map[Key][]Segment, types map[string]string) (Result, error) {
	out := Result{Segments: map[Key][]Segment{}}
	was := matchRuns(list, past)
	stay := map[*Row]bool{}
	for _, k := range past {
		stay[k] = true
	}
	for i := range list {
		t, k := &list[i], was[i]
		r := t.row()
		if k != nil {
			delete(stay, k)
			r = t.mergeInto(k)
		}
		s, err := segmentsOfRun(t, k, segs[r.Key], types)
		if err != nil {
			return Result{}, fmt.Errorf("job %d: %w", r.Job, err)
		}
		out.Segments[r.Key], out.Rows = s, append(out.Rows, r)
	}
	for _, k := range past {
		switch {
		case !stay[k]:
		case slices.ContainsFunc(list, func(t DBDRun) bool { return supersedes(&t, k) }):
			out.Gone = append(out.Gone, k.Key)
		default:
			out.Rows = append(out.Rows, *k)
		}
	}
	shareArrival(out.Rows)
	return out, nil
}

// row is the run as a row, nothing else being known of it.
func (t *DBDRun) row() Row {
	f, l := t.First(), t.last()
	r := Row{
		Key: Key{f.ID, f.Submit.Unix(), max(f.Restarts, 0)}, Arrive: f.Submit,
		SLUID: value.Text(l.SLUID), Name: value.Text(l.Name), User: value.Text(l.User), Account: value.Text(l.Account), QOS: value.Text(l.QOS), Partition: value.Text(l.Partition),
		State: value.Text(l.State), Reason: value.Text(l.Reason), ArrayJob: l.ArrayJob, ArrayTask: l.ArrayTask, Limit: l.Limit, GPUs: gpusOfRow(l),
		Started: value.NullTime(t.started()), Ended: value.NullTime(l.End), Closed: true, Exact: true, FromDBD: t.final,
	}
	return r
}

// mergeInto is the run as a row, merged with what is known of it: what slurmdbd does not
// tell stays, and so does a run that goes on.
func (t *DBDRun) mergeInto(k *Row) Row {
	r := t.row()
	if t.tellsLessThan(k) || !t.final && k.State != resizing {
		o := *k
		if !o.Arrive.Before(r.Arrive) {
			o.Arrive = r.Arrive
		}
		if r.Started != nil && (o.Started == nil || r.Started.Before(*o.Started)) {
			o.Started = r.Started
		}
		return o
	}
	r.Key, r.Reason, r.ArrayJob, r.ArrayTask = k.Key, k.Reason, k.ArrayJob, k.ArrayTask
	r.SLUID, r.Name, r.QOS, r.Partition = cmp.Or(r.SLUID, k.SLUID), cmp.Or(r.Name, k.Name), cmp.Or(r.QOS, k.QOS), cmp.Or(r.Partition, k.Partition)
	r.Limit, r.GPUs = cmp.Or(r.Limit, k.Limit), cmp.Or(r.GPUs, k.GPUs)
	if k.Arrive.Before(r.Arrive) {
		r.Arrive = k.Arrive
	}
	if t.continuesRow(k) {
		r.Started = k.Started
	}
	return r
}

// gpusOfRow returns the devices the row held or, if it never ran, asked for.
func gpusOfRow(r *slurmdb.Job) int {
	return cmp.Or(r.Allocated.GPUs(), r.Requested.GPUs())
}

// requeueGap is within what time of a run's end the next one is submitted when a job
// is requeued.
const requeueGap = 5 * time.Second

// shareArrival lets every run of one job arrive when its first run did. Runs are
// sorted by it.
func shareArrival(runs []Row) {
	slices.SortFunc(runs, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Restarts, b.Restarts))
	})
	for i := 1; i < len(runs); i++ {
		if p, r := &runs[i-1], &runs[i]; follows(p, r) && p.Arrive.Before(r.Arrive) {
			r.Arrive = p.Arrive
		}
	}
}

// follows reports whether r is the run after p of the same job, and not of
// another one with its id.
func follows(p, r *Row) bool {
	if p.User != r.User || !p.Closed {
		return false
	}
	if r.Restarts > 0 {
		return r.Restarts > p.Restarts
	}
	switch p.State {
	case requeued, "NODE_FAIL", "PREEMPTED", "BOOT_FAIL":
		return p.Ended != nil && time.Unix(r.Submit, 0).Sub(*p.Ended) <= requeueGap
	}
	return false
}
