package sim

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/replica/sim/dependency"
)

// jobTable is the listed job records, and how those that ended did.
type jobTable struct {
	ids           idRange
	jobsByID      map[int64]*job
	sortedJobs    []*job // by id
	openCount     int    // records pending or running
	outcomesByJob map[int64]taskOutcomes
	runCount      uint64 // run identities given out
	runPrefix     uint64 // what run identities begin with
}

// idRange are the job ids there are; after the last comes the first again.
type idRange struct{ next, first, last int64 }

// taskOutcomes counts how the tasks of a job ended.
type taskOutcomes struct{ succeededCount, failedCount int }

func newJobTable(c *Config) *jobTable {
	return &jobTable{
		ids:      idRange{c.FirstJobID, c.FirstJobID, c.MaxJobID},
		jobsByID: map[int64]*job{}, outcomesByJob: map[int64]taskOutcomes{}, runPrefix: uint64(c.Start.Unix()) << 24,
	}
}

// jobByID returns the record of an id; the error is Slurm's.
func (t *jobTable) jobByID(id int64) (*job, error) {
	j := t.jobsByID[id]
	if j == nil {
		return nil, newSlurmError(ErrnoNoSuchJob, "Invalid job id specified")
	}
	return j, nil
}

// add lists a new record.
func (t *jobTable) add(j *job) {
	t.jobsByID[j.id] = j
	i, _ := t.position(j.id)
	t.sortedJobs = slices.Insert(t.sortedJobs, i, j)
	t.openCount++
}

func (t *jobTable) remove(j *job) {
	delete(t.jobsByID, j.id)
	if i, ok := t.position(j.id); ok {
		t.sortedJobs = slices.Delete(t.sortedJobs, i, i+1)
	}
}

func (t *jobTable) position(id int64) (int, bool) {
	return slices.BinarySearchFunc(t.sortedJobs, id, func(x *job, id int64) int { return cmp.Compare(x.id, id) })
}

// newJobID returns the next free job id; ids wrap.
func (t *jobTable) newJobID() int64 {
	for {
		id := t.ids.next
		if t.ids.next++; t.ids.next > t.ids.last {
			t.ids.next = t.ids.first
		}
		if t.jobsByID[id] == nil {
			return id
		}
	}
}

// newSLUID returns a fresh run identity, as 26.05 writes it: s and 13 digits.
func (t *jobTable) newSLUID() string {
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

// findByAddress returns the records an address stands for: a job id ("123"; that of an
// array means every task), a task ("123_4") or the SLUID of a run.
func (t *jobTable) findByAddress(address string) ([]*job, error) {
	var out []*job
	a, b, isTask := strings.Cut(address, "_")
	id, err := strconv.ParseInt(a, 10, 64)
	task, taskErr := strconv.ParseInt(b, 10, 64)
	for _, j := range t.sortedJobs {
		switch {
		case strings.HasPrefix(address, "s"):
			if j.sluid == address {
				out = append(out, j)
			}
		case err != nil || isTask && taskErr != nil:
		case isTask && j.arrayID == id && j.hasTask(task):
			out = append(out, j)
		case !isTask && (j.id == id || j.arrayID == id):
			out = append(out, j)
		}
	}
	if len(out) == 0 {
		return nil, newSlurmError(ErrnoNoSuchJob, "Invalid job id specified")
	}
	if j := t.jobsByID[id]; !isTask && err == nil && j != nil && j.arrayID != id {
		return []*job{j}, nil // a job that happens to share no array
	}
	return out, nil
}

// taskRecord returns the record a task of an array is in; nil: none.
func (t *jobTable) taskRecord(array, task int64) *job {
	for _, j := range t.sortedJobs {
		if j.arrayID == array && (!j.isUnsplit() && j.taskID == task || slices.Contains(j.pendingTasks, task)) {
			return j
		}
	}
	return nil
}

// isArrayAtLimit reports whether as many tasks of the array run as may at once.
func (t *jobTable) isArrayAtLimit(j *job) bool { return t.isArrayFull(j, 0) }

// isArrayFull reports whether that is so once so many more run.
func (t *jobTable) isArrayFull(j *job, more int) bool {
	if j.arrayID == 0 || j.spec.ArrayMaxRunning == 0 {
		return false
	}
	n := more
	for _, x := range t.sortedJobs {
		if x.arrayID == j.arrayID && len(x.slots) > 0 && (x.state == stateRunning || x.isCompleting) {
			n++
		}
	}
	return n >= j.spec.ArrayMaxRunning
}

// dependencyReason returns the reason a job's dependencies give: "" when they are met.
func (t *jobTable) dependencyReason(j *job) string {
	if j.spec.Dependency == "" {
		return ""
	}
	deps, _ := dependency.Parse(j.spec.Dependency) // checked at submission
	for _, d := range deps {
		if r := unmetReason(d, t.sortedJobs, t.outcomesByJob[d.JobID]); r != "" {
			return r
		}
	}
	return ""
}

// noteOutcome notes the end of a job, for those that depend on it.
func (t *jobTable) noteOutcome(j *job) {
	t.openCount--
	ids := []int64{j.id}
	if j.arrayID != 0 && j.arrayID != j.id {
		ids = append(ids, j.arrayID)
	}
	for _, id := range ids {
		o := t.outcomesByJob[id]
		if j.state == "COMPLETED" {
			o.succeededCount++
		} else {
			o.failedCount++
		}
		t.outcomesByJob[id] = o
	}
}

// hasBeginTimeBetween reports whether the begin time of a pending job came after one moment
// and up to another.
func (t *jobTable) hasBeginTimeBetween(after, now time.Time) bool {
	return slices.ContainsFunc(t.sortedJobs, func(j *job) bool {
		return j.state == statePending && j.beginTime.After(after) && !j.beginTime.After(now)
	})
}

// OpenJobCount returns how many job records are pending or running.
func (t *jobTable) OpenJobCount() int { return t.openCount }

// PendingJobCount returns how many job records are pending.
func (t *jobTable) PendingJobCount() int {
	n := 0
	for _, j := range t.sortedJobs {
		if j.state == statePending {
			n++
		}
	}
	return n
}
