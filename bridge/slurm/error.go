package slurm

import (
	"errors"
	"fmt"
)

// ErrorClass sorts what can go wrong with a call by what to do about it.
type ErrorClass string

// The classes.
const (
	ErrorJobGone          ErrorClass = "gone"        // no such job (2017): proof of absence
	ErrorJobChanged       ErrorClass = "changed"     // the job moved on (not pending, finished, held …): benign, look again
	ErrorForbidden        ErrorClass = "refused"     // no right to do it, or the site forbids it
	ErrorBadRequest       ErrorClass = "rejected"    // our request was malformed: a bug of ours or an unknown version
	ErrorBadToken         ErrorClass = "denied"      // the token is missing, expired or forged
	ErrorVersionNotServed ErrorClass = "no version"  // the API version or path is not served
	ErrorBusy             ErrorClass = "busy"        // try again later
	ErrorUnreachable      ErrorClass = "unreachable" // no connection was made: nothing was done
	ErrorOutcomeUnknown   ErrorClass = "unclear"     // sent, but the outcome is not known: only observation can tell
	ErrorGarbledReply     ErrorClass = "garbled"     // the answer is not what slurmrestd sends
)

// Outcome is what became of a call that changes something.
type Outcome string

// The outcomes.
const (
	OutcomeDone       Outcome = "done"       // Slurm said yes
	OutcomeJobMovedOn Outcome = "moved on"   // not done, since the job is gone or no longer what it was: nothing failed
	OutcomeNotDone    Outcome = "not done"   // it failed
	OutcomeMaybeDone  Outcome = "maybe done" // nothing proves that it was not: only observation can tell
)

// Outcome says what became of a call that failed so.
func (c ErrorClass) Outcome() Outcome {
	switch c {
	case ErrorJobGone, ErrorJobChanged:
		return OutcomeJobMovedOn
	case ErrorForbidden, ErrorBadRequest, ErrorBadToken, ErrorVersionNotServed, ErrorUnreachable:
		return OutcomeNotDone
	}
	return OutcomeMaybeDone
}

// OutcomeOf says what became of a call by the error it returned. One that is no
// *Error proves nothing.
func OutcomeOf(err error) Outcome {
	var e *Error
	switch {
	case err == nil:
		return OutcomeDone
	case !errors.As(err, &e):
		return OutcomeMaybeDone
	}
	return e.Class.Outcome()
}

// Error is a failed call to Slurm.
type Error struct {
	Class      ErrorClass
	Number     int    // Slurm's error number; 0: none given
	HTTPStatus int    // HTTP status; 0: none
	Text       string // Slurm's words, cleaned and bounded
	Err        error  // cause, if any
}

// Error says what Slurm said, with its number.
func (e *Error) Error() string {
	s := string(e.Class)
	if e.Text != "" {
		s += ": " + e.Text
	}
	if e.Number != 0 {
		s += fmt.Sprintf(" (Slurm error %d)", e.Number)
	} else if e.HTTPStatus != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.HTTPStatus)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
