package slurm

import "fmt"

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
