package bridge

import (
	"time"

	"fairbridge/bridge/slurm"
)

// IntentState is how far an intent has come.
type IntentState string

// The states. An intent is open until one of the last five.
const (
	IntentPlanned  IntentState = "PLANNED"  // written, not sent
	IntentSent     IntentState = "SENT"     // about to be, or being, sent
	IntentAcked    IntentState = "ACKED"    // Slurm said yes
	IntentUnknown  IntentState = "UNKNOWN"  // no answer, or one that proves nothing: only observation can tell
	IntentObserved IntentState = "OBSERVED" // a poll showed the effect
	IntentFailed   IntentState = "FAILED"   // refused, or never seen
	IntentYielded  IntentState = "YIELDED"  // somebody else changed the job: we stepped aside
	IntentExpired  IntentState = "EXPIRED"  // its time passed
	IntentVoid     IntentState = "VOID"     // never sent, and never will be
)

// IsOpen reports whether the outcome is still to be seen.
func (s IntentState) IsOpen() bool {
	return s == IntentPlanned || s == IntentSent || s == IntentAcked || s == IntentUnknown
}

// IsSystemic reports whether the outcome says something about Slurm or us rather
// than about the job.
func (s IntentState) IsSystemic() bool { return s == IntentFailed || s == IntentUnknown }

// Intent is one row of the ledger.
type Intent struct {
	ID       int64       `json:"id"`
	Cluster  string      `json:"cluster"`
	Epoch    int64       `json:"epoch"` // of the leader that wrote it
	Cycle    uint64      `json:"cycle"`
	Policy   string      `json:"policy"`
	Edit     slurm.Edit  `json:"edit"`
	Before   JobBefore   `json:"before"`
	State    IntentState `json:"state"`
	NotAfter time.Time   `json:"not_after"` // when it loses its meaning; a lease's end, and of a warning Slurm said yes to the end of the grace
	Made     time.Time   `json:"made"`
	Sent     time.Time   `json:"sent,omitzero"` // the last call: when it ended, of a hand-back and while none did when it began
	Closed   time.Time   `json:"closed,omitzero"`
	Error    string      `json:"error,omitempty"` // of Slurm, with its number
	Polls    int         `json:"polls"`           // polls since it was acknowledged that did not show it
}

// LastTouched is when the intent was sent last, or, if it never was, when it was made: of a value
// that was found in Slurm, when that was.
func (in *Intent) LastTouched() time.Time {
	if in.Sent.IsZero() {
		return in.Made
	}
	return in.Sent
}

// StoodInSlurm reports whether the intent's value may have stood in Slurm: it was sent, or was found
// there. One that was never sent and is YIELDED tells of no value.
func (in *Intent) StoodInSlurm() bool {
	if in.Sent.IsZero() {
		return in.State == IntentObserved || in.State == IntentExpired
	}
	return in.State != IntentFailed && in.State != IntentVoid
}

// RecentStop returns what a stop, or a warning of one, cost that was made less than the span ago and reached Slurm as far as we know; nil: it
// is no stop, an older one, was never sent, or Slurm refused it.
func (in *Intent) RecentStop(now time.Time, span time.Duration) *StopCost {
	if in.Sent.IsZero() || in.State == IntentFailed || now.Sub(in.Made) >= span {
		return nil
	}
	return in.Before.Stop
}

// IsInForce reports whether the intent's effect is, as far as we know, in Slurm and
// ours: observed or acknowledged, for the same run, and not expired at now.
func (in *Intent) IsInForce(now time.Time) bool {
	switch in.State {
	case IntentObserved, IntentAcked:
		return in.NotAfter.IsZero() || now.Before(in.NotAfter)
	}
	return false
}
