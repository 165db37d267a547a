// Package order puts jobs in line: by arrival, by queues of attained service,
// by the share of the cluster an account holds. Every line is total: the same
// jobs in any arrangement give the same line.
package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"

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

// Key compares two entries of a round; negative puts a before b.
type Key func(r *engine.Round, a, b *engine.Entry) int

// ByKeys is a line by keys: the first that tells two entries apart decides. Those
// that no key tells apart stand by arrival, then by job id.
type ByKeys []Key

// Order implements engine.Orderer.
func (k ByKeys) Order(r *engine.Round) ([]*engine.Entry, error) {
	return r.Line(func(a, b *engine.Entry) int {
		for _, key := range k {
			if c := key(r, a, b); c != 0 {
				return c
			}
		}
		return engine.CompareArrival(a, b)
	}), nil
}

// ByArrival is first come, first served. Jobs that hold GPUs come first: they
// have been served.
type ByArrival struct{}

// Order implements engine.Orderer.
func (ByArrival) Order(r *engine.Round) ([]*engine.Entry, error) {
	return ByKeys{ActiveFirst}.Order(r)
}

// IsSparable implements engine.Sparable.
func (ByArrival) IsSparable(*policy.Snapshot) bool { return true }

// OrderWaiting implements engine.WaitingOrderer.
func (ByArrival) OrderWaiting(_ *engine.Round, waiting []*engine.Entry) {
	slices.SortFunc(waiting, engine.CompareArrival)
}

// ActiveFirst puts jobs that hold GPUs before those that do not.
func ActiveFirst(_ *engine.Round, a, b *engine.Entry) int {
	return -compareBool(a.HoldsGPUs(), b.HoldsGPUs())
}

// EarliestStartFirst puts the job that started first in front, and those that never
// ran last.
func EarliestStartFirst(_ *engine.Round, a, b *engine.Entry) int {
	if c := compareBool(a.FirstStart.IsZero(), b.FirstStart.IsZero()); c != 0 {
		return c
	}
	return a.FirstStart.Compare(b.FirstStart)
}

// ReplicasFirst puts replicas of inference services before all other jobs.
func ReplicasFirst(_ *engine.Round, a, b *engine.Entry) int {
	return -compareBool(a.ReplicaOf != "", b.ReplicaOf != "")
}

// LongestRunFirst puts the job in front that has run for the longest time since its last start, so that those that lose
// least stand at the end, from which jobs are taken that give way.
func LongestRunFirst(r *engine.Round, a, b *engine.Entry) int {
	return cmp.Compare(b.Ran(r.Now), a.Ran(r.Now))
}

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// EarliestDeadlineFirst puts the job with the earliest deadline in front, and those without one
// last.
func EarliestDeadlineFirst(_ *engine.Round, a, b *engine.Entry) int {
	if c := compareBool(a.Deadline.IsZero(), b.Deadline.IsZero()); c != 0 {
		return c
	}
	return a.Deadline.Compare(b.Deadline)
}

// ByLength serves the job first that has least left to run, and notes how much
// that is.
type ByLength struct {
	KeysBefore    ByKeys        // is compared before the lengths
	UnknownLength time.Duration // what a job without an estimate has left
	UseGPUTime    bool          // GPU time in place of time
}

// LengthLeft returns what the job has left in seconds, or GPU-seconds by service.
func (b ByLength) LengthLeft(e *engine.Entry) float64 {
	d := e.Estimate().TimeLeft
	if e.Estimate().Source == "" {
		d = b.UnknownLength
	}
	if b.UseGPUTime {
		return float64(policy.ServiceForTime(e.Ask.GPUs.WholeGPUs(), d))
	}
	return d.Seconds()
}

// Order implements engine.Orderer.
func (b ByLength) Order(r *engine.Round) ([]*engine.Entry, error) {
	if !r.OmitReasons {
		for _, e := range r.Entries {
			e.Note = b.noteFor(e)
		}
	}
	return append(slices.Clip(b.KeysBefore), func(_ *engine.Round, x, y *engine.Entry) int {
		return cmp.Compare(b.LengthLeft(x), b.LengthLeft(y))
	}).Order(r)
}

// noteFor says what the job was judged by.
func (b ByLength) noteFor(e *engine.Entry) string {
	from := "its " + e.Estimate().Source
	if e.Estimate().Source == "" {
		from = "what is usual here"
	}
	if b.UseGPUTime {
		return fmt.Sprintf("%v left by %s", policy.GPUSeconds(b.LengthLeft(e)), from)
	}
	return fmt.Sprintf("%s left by %s", policy.FormatSeconds(b.LengthLeft(e)), from)
}
