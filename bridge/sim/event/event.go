// Package event is virtual time: a queue of what will happen, and a clock that
// moves only from one event to the next. The same calls give the same order.
package event

import (
	"container/heap"
	"time"
)

// Queue holds the events to come and the present moment. It is not safe for
// concurrent use.
type Queue struct {
	now  time.Time
	heap events
	seq  uint64
}

// New returns a queue without events whose time is start.
func New(start time.Time) *Queue { return &Queue{now: start} }

// Now returns the present moment of virtual time.
func (q *Queue) Now() time.Time { return q.now }

// At lets do happen at a moment of virtual time, the past counting as now. It
// is how a script acts on a world that runs.
func (q *Queue) At(t time.Time, do func()) {
	if t.Before(q.now) {
		t = q.now
	}
	q.seq++
	heap.Push(&q.heap, event{t, q.seq, do})
}

// After lets do happen when d has passed.
func (q *Queue) After(d time.Duration, do func()) { q.At(q.now.Add(d), do) }

// Every lets do happen after first and from then on again and again, every so
// often.
func (q *Queue) Every(first, every time.Duration, do func()) {
	q.After(first, func() {
		do()
		q.Every(every, every, do)
	})
}

// Step lets the next event happen and reports whether there was one before
// limit; otherwise time stands at limit.
func (q *Queue) Step(limit time.Time) bool {
	if len(q.heap) == 0 || q.heap[0].at.After(limit) {
		if limit.After(q.now) {
			q.now = limit.UTC()
		}
		return false
	}
	e := heap.Pop(&q.heap).(event)
	q.now = e.at
	e.do()
	return true
}

// Advance lets everything happen up to and including to. It never goes back.
func (q *Queue) Advance(to time.Time) {
	for q.Step(to) {
	}
}

// event is something that will happen. Equal times keep their order of entry.
type event struct {
	at  time.Time
	seq uint64
	do  func()
}

type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].seq < h[j].seq
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = event{}
	*h = (*h)[:last]
	return e
}
