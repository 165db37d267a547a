package identity

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// How often what Slurm says is read, after a failure, and how long it is believed: rights that
// were taken from somebody end by then, whatever fails.
const (
	refreshEvery   = 5 * time.Minute
	retryEvery     = 30 * time.Second
	MaxKnownAge    = 30 * time.Minute
	firstReadWait  = 3 * time.Second
	refreshTimeout = time.Minute
)

// refreshed is a value that is read again and again.
type refreshed[T any] struct {
	name string
	read func(context.Context) (T, error) // nil: it is never known
	now  func() time.Time
	log  *slog.Logger

	mu      sync.Mutex
	value   T
	readAt  time.Time     // zero: never
	lastErr string        // of the last reading; "": it succeeded
	first   chan struct{} // closed when it was read first, or could not be
}

// run reads the value until the context ends.
func (f *refreshed[T]) run(ctx context.Context) {
	if f.read == nil {
		return
	}
	for {
		wait := refreshEvery
		if !f.refresh(ctx) {
			wait = retryEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// refresh reads the value once, and says in the log when that begins to fail.
func (f *refreshed[T]) refresh(ctx context.Context) (ok bool) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	at := f.now() // from when on what is read may be changed
	value, err := f.read(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeFirst()
	if err != nil {
		if f.lastErr == "" && ctx.Err() == nil {
			f.log.Warn("reading "+f.name+" failed", "error", err, "believed_until", f.readAt.Add(MaxKnownAge))
		}
		f.lastErr = err.Error()
		return false
	}
	f.value, f.readAt, f.lastErr = value, at, ""
	return true
}

// firstDone returns what is closed after the first reading.
func (f *refreshed[T]) firstDone() chan struct{} {
	if f.first == nil {
		f.first = make(chan struct{})
	}
	return f.first
}

func (f *refreshed[T]) closeFirst() {
	select {
	case <-f.firstDone():
	default:
		close(f.first)
	}
}

// get returns the value where it is known, and not for too long. While it is being read for the
// first time it waits a little.
func (f *refreshed[T]) get(ctx context.Context) (value T, known bool) {
	last := f.last(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := f.now().Sub(f.readAt); f.readAt.IsZero() || age > MaxKnownAge || age < -MaxKnownAge {
		return value, false
	}
	return last, true
}

// last returns the value that was read last, whenever that was. It waits as get does.
func (f *refreshed[T]) last(ctx context.Context) T {
	f.mu.Lock()
	first := f.firstDone()
	f.mu.Unlock()
	if f.read != nil {
		select {
		case <-first:
		case <-ctx.Done():
		case <-time.After(firstReadWait):
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.value
}
