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
	now          time.Time
	heap         eventHeap
	lastSequence uint64
}

// NewQueue returns a queue without events whose time is start.
func NewQueue(start time.Time) *Queue { return &Queue{now: start} }

// Now returns the present moment of virtual time.
func (q *Queue) Now() time.Time { return q.now }

// ScheduleAt lets do happen at a moment of virtual time, the past counting as now. It
// is how a script acts on a world that runs.
func (q *Queue) ScheduleAt(t time.Time, do func()) {
	if t.Before(q.now) {
		t = q.now
	}
	q.lastSequence++
	heap.Push(&q.heap, event{t, q.lastSequence, do})
}

// ScheduleAfter lets do happen when d has passed.
func (q *Queue) ScheduleAfter(d time.Duration, do func()) { q.ScheduleAt(q.now.Add(d), do) }

// ScheduleEvery lets do happen after first and from then on again and again, every so
// often.
func (q *Queue) ScheduleEvery(first, every time.Duration, do func()) {
	q.ScheduleAfter(first, func() {
		do()
		q.ScheduleEvery(every, every, do)
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
	e.action()
	return true
}

// Advance lets everything happen up to and including to. It never goes back.
func (q *Queue) Advance(to time.Time) {
	for q.Step(to) {
	}
}

// event is something that will happen. Equal times keep their order of entry.
type event struct {
	at       time.Time
	sequence uint64
	action   func()
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }

func (h eventHeap) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].sequence < h[j].sequence
}

func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *eventHeap) Push(x any) { *h = append(*h, x.(event)) }

func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = event{}
	*h = (*h)[:last]
	return e
}
