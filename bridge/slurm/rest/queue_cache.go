package rest

import (
	"maps"
	"sync"
	"time"
)

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
