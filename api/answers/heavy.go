package answers

import (
	"context"
	"sync"

	"fairbridge/api"
)

// turn lets one answer at a time be computed that takes long. Of each user one is computed or waits: who
// asks for many keeps others waiting for one of theirs.
type turn struct {
	turn chan struct{} // held by who computes

	mu    sync.Mutex
	users map[string]bool // of whom one is computed or waits
}

// newTurn returns one that is free.
func newTurn() *turn {
	return &turn{turn: make(chan struct{}, 1), users: map[string]bool{}}
}

// enter takes a user's place in the line, unless they have it.
func (t *turn) enter(user string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users[user] {
		return false
	}
	t.users[user] = true
	return true
}

func (t *turn) leave(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.users, user)
}

// Take waits for the turn of a user's computation, until the context ends.
func (t *turn) Take(ctx context.Context, user string) (done func(), err error) {
	if !t.enter(user) {
		return nil, errYours()
	}
	select {
	case t.turn <- struct{}{}:
		done = func() { <-t.turn; t.leave(user) }
	case <-ctx.Done():
		t.leave(user)
		return nil, errBusy()
	}
	if ctx.Err() != nil { // both came: nobody waits for it any more
		done()
		return nil, errBusy()
	}
	return done, nil
}

// errBusy is the answer to who waited too long for the turn of a computation.
func errBusy() *api.Error {
	return &api.Error{Code: api.CodeUnavailable, Message: "busy: others have asked for what takes long to work out", Try: "try again in a few seconds"}
}

// errYours is the answer to who has another request worked out.
func errYours() *api.Error {
	return &api.Error{Code: api.CodeTooMany, Message: "another request of yours that takes long is being worked out", Try: "ask for one at a time"}
}
