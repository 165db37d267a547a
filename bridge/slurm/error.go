package slurm

import (
	"errors"
	"fmt"
)

// Class sorts what can go wrong with a call by what to do about it.
type Class string

// The classes.
const (
	Gone        Class = "gone"        // no such job (2017): proof of absence
	Changed     Class = "changed"     // the job moved on (not pending, finished, held …): benign, look again
	Refused     Class = "refused"     // no right to do it, or the site forbids it
	Rejected    Class = "rejected"    // our request was malformed: a bug of ours or an unknown version
	Denied      Class = "denied"      // the token is missing, expired or forged
	NoVersion   Class = "no version"  // the API version or path is not served
	Busy        Class = "busy"        // try again later
	Unreachable Class = "unreachable" // no connection was made: nothing was done
	Unclear     Class = "unclear"     // sent, but the outcome is not known: only observation can tell
	Garbled     Class = "garbled"     // the answer is not what slurmrestd sends
)

// Outcome is what became of a call that changes something.
type Outcome string

// The outcomes.
const (
	Done      Outcome = "done"       // Slurm said yes
	MovedOn   Outcome = "moved on"   // not done, since the job is gone or no longer what it was: nothing failed
	NotDone   Outcome = "not done"   // it failed
	MaybeDone Outcome = "maybe done" // nothing proves that it was not: only observation can tell
)

// Outcome says what became of a call that failed so.
func (c Class) Outcome() Outcome {
	switch c {
	case Gone, Changed:
		return MovedOn
	case Refused, Rejected, Denied, NoVersion, Unreachable:
		return NotDone
	}
	return MaybeDone
}

// OutcomeOf says what became of a call by the error it returned. One that is no
// *Error proves nothing.
func OutcomeOf(err error) Outcome {
	var e *Error
	switch {
	case err == nil:
		return Done
	case !errors.As(err, &e):
		return MaybeDone
	}
	return e.Class.Outcome()
}

// Error is a failed call to Slurm.
type Error struct {
	Class  Class
	Number int    // Slurm's error number; 0: none given
	Status int    // HTTP status; 0: none
	Text   string // Slurm's words, cleaned and bounded
	Err    error  // cause, if any
}

// Error says what Slurm said, with its number.
func (e *Error) Error() string {
	s := string(e.Class)
	if e.Text != "" {
		s += ": " + e.Text
	}
	if e.Number != 0 {
		s += fmt.Sprintf(" (Slurm error %d)", e.Number)
	} else if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
