package answers

import (
	"context"
	"sync"
	"time"
)

// keptValue is a value that is read again when it is older than it may be; one at a time reads it.
type keptValue[T any] struct {
	freshFor time.Duration
	now      func() time.Time
	read     func(context.Context) (T, error)
	turn     chan struct{} // held by who reads

	mu     sync.Mutex
	value  T
	err    error
	readAt time.Time
}

// New returns a value that is read when it is asked for, and again once it is older than freshFor by the clock now.
func newKept[T any](freshFor time.Duration, now func() time.Time, read func(context.Context) (T, error)) *keptValue[T] {
	return &keptValue[T]{freshFor: freshFor, now: now, read: read, turn: make(chan struct{}, 1)}
}

// Get returns the value, read now unless it is fresh. An error is kept as long as a value would be:
// what is away is not asked by every request.
func (k *keptValue[T]) Get(ctx context.Context) (T, error) {
	if v, err, fresh := k.Last(); fresh {
		return v, err
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		v, _, _ := k.Last()
		return v, ctx.Err()
	}
	if v, err, fresh := k.Last(); fresh {
		return v, err
	}
	v, err := k.read(ctx)
	if err != nil && ctx.Err() != nil {
		return v, err // whoever asked is gone: it says nothing of what was asked
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err, k.readAt = err, k.now(); err == nil {
		k.value = v
	}
	return k.value, err
}

// Last returns the value as it was read last, the error of that, and whether both are fresh.
func (k *keptValue[T]) Last() (value T, err error, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	age := k.now().Sub(k.readAt)
	return k.value, k.err, !k.readAt.IsZero() && age >= 0 && age < k.freshFor
}

// keptAnswers keeps answers that take long by what was asked of which cycle, the newest of them.
type keptAnswers[K comparable, V any] struct {
	mu    sync.Mutex
	value map[K]V
	order []K
}

// maxKeptAnswers is how many answers of a kind are kept.
const maxKeptAnswers = 256

// Get returns the answer to a question; ok is false where none is kept.
func (c *keptAnswers[K, V]) Get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok = c.value[key]
	return v, ok
}

// Put keeps an answer.
func (c *keptAnswers[K, V]) Put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.value == nil {
		c.value = map[K]V{}
	}
	if _, known := c.value[key]; !known {
		c.order = append(c.order, key)
	}
	c.value[key] = v
	if len(c.order) > maxKeptAnswers {
		delete(c.value, c.order[0])
		c.order = append(c.order[:0], c.order[1:]...)
	}
}
