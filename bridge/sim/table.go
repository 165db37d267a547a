package sim

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// jobTable is the listed job records, and how those that ended did.
type jobTable struct {
	ids       idRange
	byID      map[int64]*job
	list      []*job // by id
	openCount int    // records pending or running
	outcomes  map[int64]taskOutcomes
	runCount  uint64 // run identities given out
	runPrefix uint64 // what run identities begin with
}

// idRange are the job ids there are; after the last comes the first again.
type idRange struct{ next, first, last int64 }

// taskOutcomes counts how the tasks of a job ended.
type taskOutcomes struct{ succeeded, failed int }

func newTable(c *Config) *jobTable {
	return &jobTable{
		ids:  idRange{c.FirstJobID, c.FirstJobID, c.MaxJobID},
		byID: map[int64]*job{}, outcomes: map[int64]taskOutcomes{}, runPrefix: uint64(c.Start.Unix()) << 24,
	}
}

// job returns the record of an id; the error is Slurm's.
func (t *jobTable) job(id int64) (*job, error) {
	j := t.byID[id]
	if j == nil {
		return nil, newError(ErrnoNoSuchJob, "Invalid job id specified")
	}
	return j, nil
}

// add lists a new record.
func (t *jobTable) add(j *job) {
	t.byID[j.id] = j
	i, _ := t.position(j.id)
	t.list = slices.Insert(t.list, i, j)
	t.openCount++
}

func (t *jobTable) remove(j *job) {
	delete(t.byID, j.id)
	if i, ok := t.position(j.id); ok {
		t.list = slices.Delete(t.list, i, i+1)
	}
}

func (t *jobTable) position(id int64) (int, bool) {
	return slices.BinarySearchFunc(t.list, id, func(x *job, id int64) int { return cmp.Compare(x.id, id) })
}

// newID returns the next free job id; ids wrap.
func (t *jobTable) newID() int64 {
	for {
		id := t.ids.next
		if t.ids.next++; t.ids.next > t.ids.last {
			t.ids.next = t.ids.first
		}
		if t.byID[id] == nil {
			return id
		}
	}
}

// newRun returns a fresh run identity, as 26.05 writes it: s and 13 digits.
func (t *jobTable) newRun() string {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	t.runCount++
	v := t.runPrefix | t.runCount&0xffffff
	b := []byte("s0000000000000")
	for i := len(b) - 1; i > 0; i-- {
		b[i] = digits[v&31]
		v >>= 5
	}
	return string(b)
}

// find returns the records an address stands for: a job id ("123"; that of an
// array means every task), a task ("123_4") or the SLUID of a run.
func (t *jobTable) find(address string) ([]*job, error) {
	var out []*job
	a, b, isTask := strings.Cut(address, "_")
	id, err := strconv.ParseInt(a, 10, 64)
	task, taskErr := strconv.ParseInt(b, 10, 64)
	for _, j := range t.list {
		switch {
		case strings.HasPrefix(address, "s"):
			if j.sluid == address {
				out = append(out, j)
			}
		case err != nil || isTask && taskErr != nil:
		case isTask && j.array == id && j.hasTask(task):
			out = append(out, j)
		case !isTask && (j.id == id || j.array == id):
			out = append(out, j)
		}
	}
	if len(out) == 0 {
		return nil, newError(ErrnoNoSuchJob, "Invalid job id specified")
	}
	if j := t.byID[id]; !isTask && err == nil && j != nil && j.array != id {
		return []*job{j}, nil // a job that happens to share no array
	}
	return out, nil
}

// taskRecord returns the record a task of an array is in; nil: none.
func (t *jobTable) taskRecord(array, task int64) *job {
	for _, j := range t.list {
		if j.array == array && (!j.isUnsplit() && j.task == task || slices.Contains(j.tasks, task)) {
			return j
		}
	}
	return nil
}

// isArrayAtLimit reports whether as many tasks of the array run as may at once.
func (t *jobTable) isArrayAtLimit(j *job) bool {
	if j.array == 0 || j.spec.ArrayMax == 0 {
		return false
	}
	n := 0
	for _, x := range t.list {
		if x.array == j.array && len(x.slots) > 0 && (x.state == running || x.completing) {
			n++
		}
	}
	return n >= j.spec.ArrayMax
}

// dependencyReason returns the reason a job's dependencies give: "" when they are met.
func (t *jobTable) dependencyReason(j *job) string {
	if j.spec.Dependency == "" {
		return ""
	}
	deps, _ := parseDependency(j.spec.Dependency) // checked at submission
	for _, d := range deps {
		if r := d.unmetReason(t.list, t.outcomes[d.job]); r != "" {
			return r
		}
	}
	return ""
}

// noteEnd notes the end of a job, for those that depend on it.
func (t *jobTable) noteEnd(j *job) {
	t.openCount--
	ids := []int64{j.id}
	if j.array != 0 && j.array != j.id {
		ids = append(ids, j.array)
	}
	for _, id := range ids {
		o := t.outcomes[id]
		if j.state == "COMPLETED" {
			o.succeeded++
		} else {
			o.failed++
		}
		t.outcomes[id] = o
	}
}

// hasBeginBetween reports whether the begin time of a pending job came after one moment
// and up to another.
func (t *jobTable) hasBeginBetween(after, now time.Time) bool {
	return slices.ContainsFunc(t.list, func(j *job) bool {
		return j.state == pending && j.begin.After(after) && !j.begin.After(now)
	})
}

// Open returns how many job records are pending or running.
func (t *jobTable) Open() int { return t.openCount }

// Waiting returns how many job records are pending.
func (t *jobTable) Waiting() int {
	n := 0
	for _, j := range t.list {
		if j.state == pending {
			n++
		}
	}
	return n
}
