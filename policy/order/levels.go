package order

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// ByLeastAttained is discretised least attained service in two dimensions, GPUs and
// time: queues bounded by GPU-seconds, served in turn; within a queue the job
// that started first stands first, so that jobs of one queue do not displace
// each other in turns.
type ByLeastAttained struct {
	// QueueBounds are the upper ends of all queues but the last, ascending.
	QueueBounds []policy.GPUSeconds
	// AttainedService says what of a job's service counts; nil: all of it.
	AttainedService func(*engine.Entry) policy.GPUSeconds
	// KeyOfQueue orders the jobs of a queue; nil: first start, then arrival.
	KeyOfQueue func(queue int) Key
}

// QueueOf returns the queue the entry stands in, from 0.
func (l ByLeastAttained) QueueOf(e *engine.Entry) int {
	had := l.attainedServiceOf(e)
	i, _ := slices.BinarySearchFunc(l.QueueBounds, had, func(bound, had policy.GPUSeconds) int {
		if bound <= had {
			return -1
		}
		return 1
	})
	return i
}

func (l ByLeastAttained) attainedServiceOf(e *engine.Entry) policy.GPUSeconds {
	if l.AttainedService == nil {
		return e.Attained
	}
	return l.AttainedService(e)
}

// IsSparable implements engine.Sparable.
func (l ByLeastAttained) IsSparable(*policy.Snapshot) bool { return l.areBoundsAscending() }

func (l ByLeastAttained) areBoundsAscending() bool {
	for i := 1; i < len(l.QueueBounds); i++ {
		if !(l.QueueBounds[i-1] < l.QueueBounds[i]) {
			return false
		}
	}
	return true
}

// Order implements engine.Orderer.
func (l ByLeastAttained) Order(r *engine.Round) ([]*engine.Entry, error) {
	if !l.areBoundsAscending() {
		return nil, fmt.Errorf("queues by attained service: bounds are not ascending: %v", l.QueueBounds)
	}
	return r.Line(l.compare(r, r.Entries)), nil
}

// OrderWaiting implements engine.WaitingOrderer.
func (l ByLeastAttained) OrderWaiting(r *engine.Round, waiting []*engine.Entry) {
	slices.SortFunc(waiting, l.compare(r, waiting))
}

// compare compares the entries, which it gives their notes.
func (l ByLeastAttained) compare(r *engine.Round, entries []*engine.Entry) func(a, b *engine.Entry) int {
	queues, within := make([]int, len(r.Entries)), l.keysByQueue()
	for _, e := range entries {
		queues[e.Index] = l.QueueOf(e)
		if !r.OmitReasons {
			e.Note = l.noteFor(queues[e.Index], e)
		}
	}
	return func(a, b *engine.Entry) int {
		queue := queues[a.Index]
		if other := queues[b.Index]; queue != other {
			return cmp.Compare(queue, other)
		}
		if c := within[queue](r, a, b); c != 0 {
			return c
		}
		return engine.CompareArrival(a, b)
	}
}

// keysByQueue returns the order inside each queue.
func (l ByLeastAttained) keysByQueue() []Key {
	keys := make([]Key, len(l.QueueBounds)+1)
	for i := range keys {
		keys[i] = EarliestStartFirst
		if l.KeyOfQueue != nil {
			keys[i] = l.KeyOfQueue(i)
		}
	}
	return keys
}

func (l ByLeastAttained) noteFor(queue int, e *engine.Entry) string {
	if queue == len(l.QueueBounds) {
		return fmt.Sprintf("queue %d of %d, %v received", queue+1, len(l.QueueBounds)+1, l.attainedServiceOf(e))
	}
	return fmt.Sprintf("queue %d of %d, %v of its %v received", queue+1, len(l.QueueBounds)+1, l.attainedServiceOf(e), l.QueueBounds[queue])
}
