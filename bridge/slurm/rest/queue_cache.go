package rest

import (
	"maps"
	"sync"
	"time"
)

// queueCache is what a client keeps of the queue between polls.
type queueCache struct {
	mu      sync.Mutex
	model   queueModel
	touched map[int64]int // jobs changed by us → polls that still read them afresh
}

// markStale makes the next polls read the job afresh, so many at least.
func (m *queueCache) markStale(job int64, polls int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.touched == nil {
		m.touched = map[int64]int{}
	}
	m.touched[job] = max(m.touched[job], polls)
}

// forget drops the model: another API version shows other fields.
func (m *queueCache) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.model = queueModel{}
}

// load returns what a poll starts from.
func (m *queueCache) load() (queueModel, map[int64]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.model, maps.Clone(m.touched)
}

// store notes what a poll has made of it. touched is what it started from.
func (m *queueCache) store(next queueModel, touched map[int64]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next.started = m.model.started
	m.model = next
	for id, n := range touched {
		if m.touched[id] != n { // touched again meanwhile
			continue
		}
		if m.touched[id]--; m.touched[id] <= 0 {
			delete(m.touched, id)
		}
	}
}

// estimateStart guesses slurmctld's start from when its counters began. They begin
// anew at every midnight UTC too, which is no restart.
func (m *queueCache) estimateStart(since time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	midnight := since.UTC().Truncate(24 * time.Hour)
	if m.model.started.IsZero() || since.Sub(midnight) > 2*time.Minute {
		m.model.started = since
	}
	return m.model.started
}
