package bridge

import (
	"errors"
)

// What a Journal or a History refuses, for errors.Is. Nothing was stored then.
var (
	// ErrFenced means that the epoch is no longer the leader's. Nothing may be
	// sent.
	ErrFenced = errors.New("another daemon leads now")
	// ErrConflict means that something else is stored under the key.
	ErrConflict = errors.New("something else is stored already")
	// ErrClosedIntent means that an intent has moved on and cannot go back.
	ErrClosedIntent = errors.New("the intent has moved on")
	// ErrOlderView means that a later view of the cluster is recorded already.
	ErrOlderView = errors.New("the view is older than the last one recorded")
)
