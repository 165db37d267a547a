package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// A hand-back takes two calls, a hold and a release. When it is cut off between
// them, the job stays held the way an administrator holds it.

// DebtAge bounds how long a hold that a hand-back of ours left is ours to end:
// after a day an administrator may have placed one of his own in its stead.
const DebtAge = 24 * time.Hour

// heldSoon is how soon after a hand-back was sent the job must be seen held for
// the hold to be ours beyond doubt, if the ledger does not say so.
const heldSoon = 15 * time.Second

// Debt is a hand-back that is not finished: the job is held.
type Debt struct {
	Run  slurm.Run `json:"run"`
	Nice int64     `json:"nice"` // the owner's, to be put back; 0: none
	Sent time.Time `json:"sent"` // when the hand-back was sent
	Ours bool      `json:"ours"` // the hold is provably ours; else an administrator may have placed it
}

// Debts returns the hand-backs that are not finished, by the ledger and by what
// the view shows.
func Debts(intents []bridge.Intent, v *slurm.View) []Debt {
	var owed []Debt
	for i := range intents {
		in := &intents[i]
		if j := v.Job(in.Edit.Run.Job); j != nil && in.State.Open() && cutOff(in, j) {
			owed = append(owed, Debt{Run: j.Run(), Nice: in.Edit.Value, Sent: in.Sent, Ours: !in.Before.Held.IsZero()})
		}
	}
	return owed
}

// cutOff reports whether the intent is a hand-back that was sent, has no answer,
// and may have left the job held. An answer means that it was finished: a hold
// seen then is somebody else's.
func cutOff(in *bridge.Intent, j *slurm.Job) bool {
	return in.Edit.Kind == slurm.HandBack && (in.State == bridge.Sent || in.State == bridge.Unknown) &&
		j.HeldByAdmin() && in.Edit.Run.Same(j.Run())
}

// owe keeps a hand-back that was cut off open until the job is free, and notes
// when its hold is seen so soon that it can be nobody else's.
func owe(in *bridge.Intent, now time.Time) {
	since := now.Sub(in.Sent)
	switch {
	case since > DebtAge:
		in.State, in.Error = bridge.Failed, "still held a day after a hand-back of ours was cut off: scontrol release, unless an administrator holds it"
	case in.Before.Held.IsZero() && since <= heldSoon:
		in.Before.Held = now
	}
}
