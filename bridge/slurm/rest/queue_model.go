package rest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
)

// queueModel is what is known of the queue between polls. Its maps are never
// changed: every poll makes new ones.
type queueModel struct {
	jobByID    map[int64]*slurm.Job // by id, as last read; never changed
	statesByID map[int64]string     // by id, the states jobs/state/ showed then; not of jobs that moved before their record was read
	fullReadAt time.Time            // slurmctld's clock at the last full list
	ctldStart  time.Time

	hasEndedRuns bool // runs were seen to end since the last full list
}

// formatStatesByJob sums up, by job id, what jobs/state/ lists: the state of a job, or
// the states of the tasks that a record stands for.
func formatStatesByJob(lines []slurm.TaskState) map[int64]string {
	slices.SortStableFunc(lines, func(a, b slurm.TaskState) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Task, b.Task))
	})
	statesByID := make(map[int64]string, len(lines))
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && lines[end].Job == lines[i].Job {
			end++
		}
		statesByID[lines[i].Job] = formatStates(lines[i:end])
		i = end
	}
	return statesByID
}

// formatStates prints the lines of one job shortly: runs of tasks in the same state
// are one item.
func formatStates(lines []slurm.TaskState) string {
	if len(lines) == 1 && !lines[0].IsArrayTask && len(lines[0].Flags) == 0 {
		return lines[0].State // no garbage for the usual job
	}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && hasSameState(l, lines[i-1]) && l.Task == lines[i-1].Task+1 {
			if i+1 == len(lines) || !hasSameState(l, lines[i+1]) || lines[i+1].Task != l.Task+1 {
				b.WriteString("-" + strconv.FormatInt(l.Task, 10))
			}
			continue
		}
		b.WriteString(" " + l.State)
		for _, f := range l.Flags {
			b.WriteString("+" + f)
		}
		if l.IsArrayTask {
			b.WriteString(":" + strconv.FormatInt(l.Task, 10))
		}
	}
	return b.String()
}

func hasSameState(a, b slurm.TaskState) bool {
	return a.State == b.State && slices.Equal(a.Flags, b.Flags)
}

// staleJobIDs returns, sorted, the jobs to read afresh given the states now: new
// ones, those whose state moved, those changed by us, and those no longer listed,
// unless we saw them end.
func (m queueModel) staleJobIDs(statesByID map[int64]string, pollsLeft map[int64]int) []int64 {
	var ids []int64
	for id, state := range statesByID {
		if _, have := m.jobByID[id]; !have || m.statesByID[id] != state || pollsLeft[id] > 0 {
			ids = append(ids, id)
		}
	}
	for id, j := range m.jobByID {
		if _, listed := statesByID[id]; !listed && !wasSeenToEnd(j) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// hasOldReasons reports whether Slurm kept a job back until others end when it was read, and some
// have ended since the last whole list: its reason may have passed, which its state does not show.
func (m queueModel) hasOldReasons() bool {
	if !m.hasEndedRuns {
		return false
	}
	for _, j := range m.jobByID {
		if j.WaitsForAnEnd() {
			return true
		}
	}
	return false
}

// wasSeenToEnd reports whether we read the job's end, after which its absence is no
// surprise.
func wasSeenToEnd(j *slurm.Job) bool { return j.IsDone() && j.UntrustedReason == "" }

// update returns a model in which the read ids are replaced by the records
// found, and finished jobs that are no longer listed are gone.
func (m queueModel) update(statesByID map[int64]string, read []int64, found map[int64]*slurm.Job) queueModel {
	next := queueModel{jobByID: make(map[int64]*slurm.Job, len(m.jobByID)), statesByID: statesByID, fullReadAt: m.fullReadAt, ctldStart: m.ctldStart, hasEndedRuns: m.hasEndedRuns}
	for id, j := range m.jobByID {
		if _, listed := statesByID[id]; listed || !wasSeenToEnd(j) {
			next.jobByID[id] = j
		}
	}
	for _, id := range read {
		was, is := m.jobByID[id], found[id]
		next.hasEndedRuns = next.hasEndedRuns || was != nil && was.IsRunning() && (is == nil || !is.IsRunning())
		delete(next.jobByID, id)
	}
	maps.Copy(next.jobByID, found)
	next.forgetMovedStates(found)
	return next
}

// forgetMovedStates forgets the listed states of jobs whose records, which were read after the list, show others:
// a job that starts in between and is requeued before the next poll would be listed then as it was before.
func (m queueModel) forgetMovedStates(read map[int64]*slurm.Job) {
	for id, j := range read {
		if j.UntrustedReason == "" && !isListedAs(j, m.statesByID[id]) {
			delete(m.statesByID, id)
		}
	}
}

// isListedAs reports whether each state that is listed of a job, or of the tasks its record stands for, is that of the record.
func isListedAs(j *slurm.Job, states string) bool {
	is := strings.TrimSpace(formatStates([]slurm.TaskState{{State: j.State, Flags: j.Flags}}))
	for item := range strings.FieldsSeq(states) {
		if state, _, _ := strings.Cut(item, ":"); state != is {
			return false
		}
	}
	return true
}

// sortedJobs returns copies of the jobs sorted by id.
func (m queueModel) sortedJobs() []slurm.Job {
	ids := slices.Sorted(maps.Keys(m.jobByID)) // a record is large: none is moved about
	jobs := make([]slurm.Job, len(ids))
	for i, id := range ids {
		jobs[i] = *m.jobByID[id]
	}
	return jobs
}

// queueCache is what a client keeps of the queue between polls.
type queueCache struct {
	mu             sync.Mutex
	model          queueModel
	pollsLeftByJob map[int64]int // jobs changed by us → polls that still read them afresh

	isFullReadRequested bool // for the next poll
}

// markStale makes the next polls read the job afresh, so many at least.
func (m *queueCache) markStale(job int64, polls int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pollsLeftByJob == nil {
		m.pollsLeftByJob = map[int64]int{}
	}
	m.pollsLeftByJob[job] = max(m.pollsLeftByJob[job], polls)
}

// requestFullRead makes the next poll read the whole list.
func (m *queueCache) requestFullRead() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.isFullReadRequested = true
}

// takeFullReadRequest reports whether the whole list was asked for since it was called last.
func (m *queueCache) takeFullReadRequest() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.isFullReadRequested
	m.isFullReadRequested = false
	return was
}

// dropModel drops the model: another API version shows other fields.
func (m *queueCache) dropModel() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.model = queueModel{}
}

// load returns what a poll starts from.
func (m *queueCache) load() (queueModel, map[int64]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.model, maps.Clone(m.pollsLeftByJob)
}

// store notes what a poll has made of it. pollsLeft is what it started from; with keepsMarks the jobs changed by us are
// read afresh as often as before.
func (m *queueCache) store(next queueModel, pollsLeft map[int64]int, keepsMarks bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next.ctldStart = m.model.ctldStart
	if m.model = next; keepsMarks {
		return
	}
	for id, n := range pollsLeft {
		if m.pollsLeftByJob[id] != n { // changed again meanwhile
			continue
		}
		if m.pollsLeftByJob[id]--; m.pollsLeftByJob[id] <= 0 {
			delete(m.pollsLeftByJob, id)
		}
	}
}

// estimateCtldStart guesses slurmctld's start from when its counters began. They begin
// anew at every midnight UTC too, which is no restart. Within a second of its start they have not
// begun yet: it started just now. After a start the whole queue is read afresh, as slurmctld may
// have lost what it had not saved, or have been given an older state.
func (m *queueCache) estimateCtldStart(since, now time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.model.ctldStart
	midnight := since.UTC().Truncate(24 * time.Hour)
	switch {
	case since.IsZero():
		m.model = queueModel{ctldStart: was}
		return now
	case !was.IsZero() && since.Sub(midnight) <= 2*time.Minute:
		return was
	case !since.Equal(was):
		m.model = queueModel{ctldStart: since}
	}
	return m.model.ctldStart
}
