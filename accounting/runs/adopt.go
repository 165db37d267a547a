package runs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
)

// adoption is what slurmdbd's word makes of the runs of one job.
type adoption struct {
	runs     []rec                // as they should stand; those not listed stay
	segments map[runKey][]segment // of the runs told
	gone     []runKey             // runs that never were: another one was taken for them
}

// adopt computes what told runs of one job change. past are its known runs,
// segs their segments, types the GPU type of nodes that have only one.
func adopt(list []told, past []*rec, segs map[runKey][]segment, types map[string]string) (adoption, error) {
	out := adoption{segments: map[runKey][]segment{}}
	was := match(list, past)
	stay := map[*rec]bool{}
	for _, k := range past {
		stay[k] = true
	}
	for i := range list {
		t, k := &list[i], was[i]
		r := t.rec()
		if k != nil {
			delete(stay, k)
			r = t.over(k)
		}
		s, err := segmentsTold(t, k, segs[r.runKey], types)
		if err != nil {
			return adoption{}, fmt.Errorf("job %d: %w", r.job, err)
		}
		out.segments[r.runKey], out.runs = s, append(out.runs, r)
	}
	for _, k := range past {
		switch {
		case !stay[k]:
		case slices.ContainsFunc(list, func(t told) bool { return covers(&t, k) }):
			out.gone = append(out.gone, k.runKey)
		default:
			out.runs = append(out.runs, *k)
		}
	}
	arrivals(out.runs)
	return out, nil
}

// rec is the run as a row, nothing else being known of it.
func (t *told) rec() rec {
	f, l := t.first(), t.last()
	r := rec{
		runKey: runKey{f.ID, f.Submit.Unix(), max(f.Restarts, 0)}, arrive: f.Submit,
		sluid: value.Text(l.SLUID), name: value.Text(l.Name), user: value.Text(l.User), account: value.Text(l.Account), qos: value.Text(l.QOS), partition: value.Text(l.Partition),
		state: value.Text(l.State), reason: value.Text(l.Reason), arrayJob: l.ArrayJob, arrayTask: l.ArrayTask, limit: l.Limit, gpus: gpusTold(l),
		started: value.NullTime(t.started()), ended: value.NullTime(l.End), closed: true, exact: true, authority: t.final,
	}
	return r
}

// over is the run as a row, over what is known of it: what slurmdbd does not
// tell stays, and so does a run that goes on.
func (t *told) over(k *rec) rec {
	r := t.rec()
	if t.short(k) || !t.final && k.state != resizing {
		o := *k
		if !o.arrive.Before(r.arrive) {
			o.arrive = r.arrive
		}
		if r.started != nil && (o.started == nil || r.started.Before(*o.started)) {
			o.started = r.started
		}
		return o
	}
	r.runKey, r.reason, r.arrayJob, r.arrayTask = k.runKey, k.reason, k.arrayJob, k.arrayTask
	r.sluid, r.name, r.qos, r.partition = cmp.Or(r.sluid, k.sluid), cmp.Or(r.name, k.name), cmp.Or(r.qos, k.qos), cmp.Or(r.partition, k.partition)
	r.limit, r.gpus = cmp.Or(r.limit, k.limit), cmp.Or(r.gpus, k.gpus)
	if k.arrive.Before(r.arrive) {
		r.arrive = k.arrive
	}
	if t.later(k) {
		r.started = k.started
	}
	return r
}

// gpusTold returns the devices the row held or, if it never ran, asked for.
func gpusTold(r *slurmdb.Job) int {
	return cmp.Or(r.Allocated.GPUs(), r.Requested.GPUs())
}

// soon is within what time of a run's end the next one is submitted when a job
// is requeued.
const soon = 5 * time.Second

// arrivals lets every run of one job arrive when its first run did. Runs are
// sorted by it.
func arrivals(runs []rec) {
	slices.SortFunc(runs, func(a, b rec) int {
		return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.restarts, b.restarts))
	})
	for i := 1; i < len(runs); i++ {
		if p, r := &runs[i-1], &runs[i]; nextRun(p, r) && p.arrive.Before(r.arrive) {
			r.arrive = p.arrive
		}
	}
}

// nextRun reports whether r is the run after p of the same job, and not of
// another one with its id.
func nextRun(p, r *rec) bool {
	if p.user != r.user || !p.closed {
		return false
	}
	if r.restarts > 0 {
		return r.restarts > p.restarts
	}
	switch p.state {
	case requeued, "NODE_FAIL", "PREEMPTED", "BOOT_FAIL":
		return p.ended != nil && time.Unix(r.submit, 0).Sub(*p.ended) <= soon
	}
	return false
}
