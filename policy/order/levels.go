package order

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Levels is discretised least attained service in two dimensions, GPUs and
// time: queues bounded by GPU-seconds, served in turn; within a queue the job
// that started first stands first, so that jobs of one queue do not displace
// each other in turns.
type Levels struct {
	// Bounds are the upper ends of all queues but the last, ascending.
	Bounds []policy.GPUSeconds
	// Attained says what of a job's service counts; nil: all of it.
	Attained func(*engine.Entry) policy.GPUSeconds
	// Within orders the jobs of a queue; nil: first start, then arrival.
	Within func(queue int) Key
}

// Queue returns the queue the entry stands in, from 0.
func (l Levels) Queue(e *engine.Entry) int {
	had := l.attained(e)
	i, _ := slices.BinarySearchFunc(l.Bounds, had, func(bound, had policy.GPUSeconds) int {
		if bound <= had {
			return -1
		}
		return 1
	})
	return i
}

func (l Levels) attained(e *engine.Entry) policy.GPUSeconds {
	if l.Attained == nil {
		return e.Attained
	}
	return l.Attained(e)
}

// Order implements engine.Orderer.
func (l Levels) Order(r *engine.Round) ([]*engine.Entry, error) {
	for i := 1; i < len(l.Bounds); i++ {
		if !(l.Bounds[i-1] < l.Bounds[i]) {
			return nil, fmt.Errorf("queues by attained service: bounds are not ascending: %v", l.Bounds)
		}
	}
	all := make([]queued, len(r.Entries))
	for i, e := range r.Entries {
		all[i] = queued{e, l.Queue(e)}
		if !r.OmitReasons {
			e.Note = l.note(all[i].queue, e)
		}
	}
	within := l.within()
	slices.SortFunc(all, func(a, b queued) int {
		if a.queue != b.queue {
			return cmp.Compare(a.queue, b.queue)
		}
		if c := within[a.queue](r, a.Entry, b.Entry); c != 0 {
			return c
		}
		return engine.ByArrival(a.Entry, b.Entry)
	})
	line := make([]*engine.Entry, len(all))
	for i, q := range all {
		line[i] = q.Entry
	}
	return line, nil
}

// queued is an entry in its queue.
type queued struct {
	*engine.Entry
	queue int
}

// within returns the order inside each queue.
func (l Levels) within() []Key {
	keys := make([]Key, len(l.Bounds)+1)
	for i := range keys {
		keys[i] = FirstStart
		if l.Within != nil {
			keys[i] = l.Within(i)
		}
	}
	return keys
}

func (l Levels) note(queue int, e *engine.Entry) string {
	if queue == len(l.Bounds) {
		return fmt.Sprintf("queue %d of %d, %v received", queue+1, len(l.Bounds)+1, l.attained(e))
	}
	return fmt.Sprintf("queue %d of %d, %v of its %v received", queue+1, len(l.Bounds)+1, l.attained(e), l.Bounds[queue])
}
