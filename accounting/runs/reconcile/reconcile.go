// Package reconcile says what of a cluster's runs has to be written when a view of Slurm
// or slurmdbd's rows tell something of them: from values to values.
package reconcile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm"
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

// Holding is what a run has on one node: devices of one type.
type Holding struct {
	Node, GPUType string
	DeviceCount   int
	PercentOfGPU  int // percent of a whole GPU each device is
}

func newHolding(node string, g slurm.GRES) Holding {
	return Holding{node, g.Type, g.Count, g.PercentOfGPU()}
}

// holdingsOfJob returns what the job's record shows, on nodes that find knows.
func holdingsOfJob(j *slurm.Job, find func(string) *slurm.Node) []Holding {
	var out []Holding
	for _, h := range j.HeldDevices(find) {
		out = append(out, newHolding(h.Node, h.GRES))
	}
	return out
}

// digestOfJob is the digest of all that is stored of a run that a record shows, never 0.
func digestOfJob(j *slurm.Job, at time.Time) int64 {
	h := fnv.New64a()
	text := func(list ...string) {
		for _, t := range list {
			_, _ = h.Write([]byte(t))
			_, _ = h.Write([]byte{0})
		}
	}
	number := func(list ...int64) {
		for _, n := range list {
			_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
		}
	}
	end := int64(0)
	if !endOfJob(j, at).IsZero() {
		end = unixOrZero(j.End)
	}
	text(j.SLUID, j.Name, j.User, j.Account, j.QOS, j.PartitionText(), j.State, j.Reason, j.Nodes.Text, j.AllocatedTRES.Text, j.RequestedTRES.Text)
	for i := range j.GresDetail {
		text(j.GresDetail[i].Text)
	}
	text(j.Flags...)
	number(unixOrZero(value.TimeOrZero(startOfJob(j))), end, unixOrZero(j.SuspendTime), int64(j.PreSuspendTime), int64(j.TimeLimit), j.ArrayJobID, j.ArrayTaskID, int64(j.Restarts))
	if d := int64(h.Sum64()); d != 0 {
		return d
	}
	return 1 // 0 means: write it again
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// StoredRun is a run as a row of job_runs.
type StoredRun struct {
	RunKey
	Arrive                          time.Time
	SLUID, Name, User, Account, QOS string
	Partition, State, Reason        string
	ArrayJob, ArrayTask             int64
	Limit                           time.Duration
	GPUs                            int
	Started, Ended                  *time.Time
	Closed, Exact                   bool  // over; by Slurm's word, not inferred
	FromDBD                         bool  // stands as slurmdbd has it
	Digest                          int64 // of the record that showed it; 0: write it again
}

// RunKey identifies a run of a job within a cluster.
type RunKey struct {
	Job, Submit int64
	Restarts    int
}

func (r *StoredRun) slurmRun() slurm.Run {
	return slurm.Run{Job: r.Job, Submit: r.Submit, Restarts: r.Restarts, SLUID: r.SLUID}
}

// IsSame reports whether both rows say the same.
func (r *StoredRun) IsSame(o *StoredRun) bool {
	a, b := *r, *o
	if !a.Arrive.Equal(b.Arrive) || !isSameTime(a.Started, b.Started) || !isSameTime(a.Ended, b.Ended) {
		return false
	}
	a.Arrive, a.Started, a.Ended = b.Arrive, b.Started, b.Ended
	return a == b
}

// HasSameUserAndPartition reports whether segments of both carry the same names.
func (r *StoredRun) HasSameUserAndPartition(o *StoredRun) bool {
	return r.User == o.User && r.Account == o.Account && r.Partition == o.Partition
}

func isSameTime(a, b *time.Time) bool { return value.TimeOrZero(a).Equal(value.TimeOrZero(b)) }

// splitAtRequeues divides runs that slurmdbd took for one where polls saw several, of which
// every later one has more restarts. Slurm 22.05 does not forget that a job was resized:
// when it is requeued, all its later runs are written into the row of the resized one, from the
// moment of the resize to the end of the last, the waits between them too.
func splitAtRequeues(list []DBDRun, past []*StoredRun, segs map[RunKey][]Segment) []DBDRun {
	var out []DBDRun
	for i := range list {
		seen := list[i].listStoredRunsWithin(past)
		if len(seen) < 2 {
			out = append(out, list[i])
			continue
		}
		for n, k := range seen {
			out = append(out, list[i].partSeenAs(k, n == 0, n == len(seen)-1, segs[k.RunKey]))
		}
	}
	return out
}

// listStoredRunsWithin lists the known runs, sorted by restarts, that ran one after the other
// within what is one resized run to slurmdbd; nil where it is one.
func (t *DBDRun) listStoredRunsWithin(past []*StoredRun) []*StoredRun {
	last := t.lastRow()
	if !t.isFinal || last.Start.IsZero() || len(t.Rows) == 1 && !last.Start.Equal(last.Submit) {
		return nil // not resized
	}
	var seen []*StoredRun
	for _, k := range past {
		if k.Started != nil && k.User == value.ValidText(last.User) && k.Started.Before(last.End) && (k.Ended == nil || k.Ended.After(last.Start)) {
			seen = append(seen, k)
		}
	}
	slices.SortFunc(seen, func(a, b *StoredRun) int { return cmp.Compare(a.Restarts, b.Restarts) })
	for i := 1; i < len(seen); i++ {
		was, next := seen[i-1], seen[i]
		if was.Restarts == next.Restarts || was.Ended == nil || was.Ended.After(*next.Started) {
			return nil
		}
	}
	return seen
}

// partSeenAs returns the part of slurmdbd's run that polls saw as a run of its own: first and
// last say where it is among them.
func (t *DBDRun) partSeenAs(k *StoredRun, isFirst, isLast bool, segs []Segment) DBDRun {
	row := *t.lastRow()
	part := DBDRun{isFinal: true}
	if isFirst {
		part.Rows = slices.Clone(t.Rows[:len(t.Rows)-1])
	} else {
		row.Submit, row.Start, row.Restarts = time.Unix(k.Submit, 0).UTC(), *k.Started, k.Restarts
	}
	if !isLast {
		row.End, row.State = *k.Ended, cmp.Or(k.State, requeuedState)
	}
	if nodes := nodesOfSegments(segs); len(nodes) > 0 && !isFirst {
		row.Nodes = slurm.HostsFromNames(nodes)
	}
	part.Rows = append(part.Rows, row)
	return part
}

func nodesOfSegments(segs []Segment) []string {
	var out []string
	for i := range segs {
		out = append(out, segs[i].Node)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
