package sim

import (
	"container/heap"
	"fmt"
	"time"
)

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

// at puts an event into the heap; the past counts as now.
func (w *World) at(t time.Time, do func()) {
	if t.Before(w.now) {
		t = w.now
	}
	w.seq++
	heap.Push(&w.heap, event{t, w.seq, do})
}

func (w *World) after(d time.Duration, do func()) { w.at(w.now.Add(d), do) }

// Step lets the next event happen and reports whether there was one before
// limit; otherwise time stands at limit.
func (w *World) Step(limit time.Time) bool {
	if len(w.heap) == 0 || w.heap[0].at.After(limit) {
		if limit.After(w.now) {
			w.now = limit.UTC()
		}
		return false
	}
	e := heap.Pop(&w.heap).(event)
	w.now = e.at
	e.do()
	return true
}

// Advance lets everything happen up to and including to. It never goes back.
func (w *World) Advance(to time.Time) {
	for w.Step(to) {
	}
}

// Run advances until no job is pending or running, or until limit. It reports
// whether all jobs ended.
func (w *World) Run(limit time.Time) bool {
	for w.open > 0 || w.coming > 0 {
		if !w.Step(limit) {
			return false
		}
	}
	return true
}

// logf writes one line to the event log.
func (w *World) logf(format string, args ...any) {
	if w.cfg.Log != nil {
		fmt.Fprintf(w.cfg.Log, "%s %s\n", w.now.Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf(format, args...))
	}
}

// At lets do happen at a moment of the world's time, the past counting as now.
// It is how a script acts on a world that runs.
func (w *World) At(t time.Time, do func()) { w.at(t, do) }
