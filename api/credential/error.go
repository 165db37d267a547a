package credential

import (
	"fairbridge/api"
)

// Kind says what is wrong with a credential.
type Kind string

// The kinds.
const (
	KindUnreachable Kind = "unreachable" // munge could not be asked: it says nothing of the credential
	KindInvalid     Kind = "invalid"     // none, or made with another key
	KindTooLarge    Kind = "too_large"   // no credential of ours is so large
	KindExpired     Kind = "expired"     // made too long ago
	KindRewound     Kind = "rewound"     // made in the future, by the clock of who decodes it
	KindReplayed    Kind = "replayed"    // used before
	KindRestricted  Kind = "restricted"  // only another user may decode it
	KindNoUser      Kind = "no_user"     // it is of an id that stands for no user
)

// Error is a credential that could not be made, or not be believed.
type Error struct {
	Kind  Kind
	told  api.Error // what is told to who asks
	cause error     // for the log: it may name files; nil: none
}

// Error says what is wrong, what to try, and what munge said.
func (e *Error) Error() string {
	if e.cause == nil {
		return e.told.Error()
	}
	return e.told.Error() + " (" + e.cause.Error() + ")"
}

// Unwrap returns what is told to who asks, an *api.Error, and the cause.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{&e.told}
	}
	return []error{&e.told, e.cause}
}

func newError(kind Kind, message, try string, cause error) *Error {
	code := api.CodeUnauthenticated
	switch kind {
	case KindUnreachable:
		code = api.CodeUnavailable
	case KindTooLarge:
		code = api.CodeTooLarge
	}
	return &Error{Kind: kind, told: api.Error{Code: code, Message: message, Try: try}, cause: cause}
}
