package server

import (
	"context"
	"slices"
	"sync"

	"fairbridge/api"
)

// turns shares out what there is so much of: nobody holds more than a quarter of it, beyond
// the first that they take. Who waits for much lets those pass who want less.
type turns struct {
	total, perUser int64

	mu      sync.Mutex
	taken   int64
	byUser  map[string]int64
	waiting []*turn // as they came
}

// turn is one user's share.
type turn struct {
	user   string
	weight int64
	ready  chan struct{} // closed once it is taken
}

func newTurns(total int64) *turns {
	return &turns{total: total, perUser: max(1, total/4), byUser: map[string]int64{}}
}

// newTurn is a share that can be taken: of what is larger than all there is, all.
func (t *turns) newTurn(user string, weight int64) *turn {
	return &turn{user, min(weight, t.total), make(chan struct{})}
}

// tryTake takes a share if that is possible now.
func (t *turns) tryTake(w *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.admit(w)
}

// take waits for a share until the context ends.
func (t *turns) take(ctx context.Context, w *turn) bool {
	t.mu.Lock()
	if t.admit(w) {
		t.mu.Unlock()
		return true
	}
	t.waiting = append(t.waiting, w)
	t.mu.Unlock()
	select {
	case <-w.ready:
		return true
	case <-ctx.Done():
		return !t.giveUp(w)
	}
}

// giveUp waits no longer, unless the share was taken meanwhile.
func (t *turns) giveUp(w *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	return true
}

// admit takes a share if there is so much and the user may have it. It must be locked.
func (t *turns) admit(w *turn) bool {
	held := t.byUser[w.user]
	if t.taken+w.weight > t.total || held > 0 && held+w.weight > t.perUser {
		return false
	}
	t.taken += w.weight
	t.byUser[w.user] += w.weight
	close(w.ready)
	return true
}

// release gives a share back, to those who wait.
func (t *turns) release(w *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken -= w.weight
	if t.byUser[w.user] -= w.weight; t.byUser[w.user] == 0 {
		delete(t.byUser, w.user)
	}
	t.waiting = slices.DeleteFunc(t.waiting, t.admit)
}

// takeTurn waits until the request can be answered without too much at once.
func (h *Handler) takeTurn(ctx context.Context, user string, rows int) (release func(), err error) {
	ctx, end := context.WithTimeout(ctx, h.cfg.Limits.QueueTime)
	defer end()
	w := h.computing.newTurn(user, 1+int64(rows)/rowsPerUnit)
	if !h.computing.take(ctx, w) {
		return nil, errBusy
	}
	return func() { h.computing.release(w) }, nil
}

// rowsPerUnit is how many rows count as one more request.
const rowsPerUnit = 5000

var errBusy = &api.Error{Code: api.CodeUnavailable, Message: "too much is asked at once", Try: "try again in a moment"}

// smallReply is up to how many bytes a reply may always wait to be read: one for each
// connection that may be open is little.
const smallReply = 64 << 10

// deliver sends a reply that was made. Who reads slowly, or not at all, holds no more than the
// bytes of it, and so many of them that others are still answered.
func (h *Handler) deliver(e *exchange, r reply) error {
	if len(r.body) > smallReply {
		w := h.unread.newTurn(e.viewer.User, int64(len(r.body)))
		if !h.unread.tryTake(w) {
			return newTooMany("too much of what was answered is not read yet", maxHoldBack)
		}
		defer h.unread.release(w)
	}
	e.send(r)
	return nil
}
