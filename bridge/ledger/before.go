// Package ledger holds the values of the write-ahead ledger: what we meant to
// do to a job, what stood there before, and what came of it. It is pure; the
// rows live in accounting/journal.
//
// Every mutation has one Intent. It is written before it is sent, and believed
// only when a later poll shows its effect. Ownership is by value: we undo only
// a value that is still exactly the one we wrote.
package ledger

import (
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// BeforeOfEdit notes what stands in the job before an edit, so that it can be
// given back. Where a value of ours stands already, the owner's own is copied
// from the intent that replaced it.
func BeforeOfEdit(book *IntentBook, j *slurm.Job, e slurm.Edit, now time.Time) bridge.JobBefore {
	b := actuator.BeforeFromJob(j)
	if f := actuator.EditKindRowOf(e.Kind).Field; f.FillBeforeValues != nil {
		f.FillBeforeValues(&b, book.StandingIntent(j.CurrentRun(), f.Name, now), book.HighestPossibleValue(j.CurrentRun(), f.Name, now))
	}
	return b
}

// EditExpiry returns when an edit loses its meaning: a lease at its end, the
// rest never by itself. Of a warning, outcome knows.
func EditExpiry(e slurm.Edit) time.Time {
	if f, _ := e.Kind.Form(); f.NeedsFutureUntil {
		return e.Until
	}
	return time.Time{}
}

// A hand-back takes two calls, a hold and a release. When it is cut off between
// them, the job stays held the way an administrator holds it.

// maxOwnHoldAge bounds how long a hold that a hand-back of ours left is ours to end:
// after a day an administrator may have placed one of his own in its stead.
const maxOwnHoldAge = 24 * time.Hour

// maxHoldDelay is how soon after a hand-back was sent the job must be seen held for
// the hold to be ours beyond doubt, if the ledger does not say so.
const maxHoldDelay = 15 * time.Second

// UnfinishedHandBack is a hand-back that was cut off and left its job held.
type UnfinishedHandBack struct {
	Run   slurm.Run `json:"run"`
	Label string    `json:"address"` // the job as squeue writes it: 4711, 47_4
	Nice  int64     `json:"nice"`    // the owner's, to be put back; 0: none
	Sent  time.Time `json:"sent"`    // when the hand-back was sent
	Ours  bool      `json:"ours"`    // the hold is provably ours; else an administrator may have placed it
}

// RunText names the run for people: "47_4 (restart 1)".
func (u *UnfinishedHandBack) RunText() string { return u.Run.TextOf(u.Label) }

// ReleaseCommand is what ends the hold by hand. scontrol takes the id of a record, but not its
// list of tasks.
func (u *UnfinishedHandBack) ReleaseCommand() string {
	if strings.Contains(u.Label, "[") {
		return fmt.Sprintf("scontrol release %d", u.Run.Job)
	}
	return "scontrol release " + u.Label
}

// UnfinishedHandBacks returns those that the ledger and the view show.
func UnfinishedHandBacks(intents []bridge.Intent, v *slurm.View) []UnfinishedHandBack {
	var list []UnfinishedHandBack
	for i := range intents {
		in := &intents[i]
		if !in.State.IsOpen() { // most are closed
			continue
		}
		if j := v.Job(in.Edit.Run.Job); j != nil && wasHandBackCutOff(in, j) {
			list = append(list, UnfinishedHandBack{Run: j.CurrentRun(), Label: j.Label(), Nice: in.Edit.Value, Sent: in.Sent, Ours: !in.Before.HeldByUsAt.IsZero()})
		}
	}
	return list
}

// wasHandBackCutOff reports whether the intent is a hand-back that was sent, has no answer,
// and may have left the job held. An answer means that it was finished: a hold
// seen then is somebody else's.
func wasHandBackCutOff(in *bridge.Intent, j *slurm.Job) bool {
	return actuator.EditKindRowOf(in.Edit.Kind).TakesTwoCalls && (in.State == bridge.IntentSent || in.State == bridge.IntentUnknown) &&
		j.IsHeldByAdmin() && in.Edit.Run.IsSameRun(j.CurrentRun())
}

// keepHandBackOpen keeps a hand-back that was cut off open until the job is free, and notes
// when its hold is seen so soon that it can be nobody else's.
func keepHandBackOpen(in *bridge.Intent, now time.Time) {
	since := now.Sub(in.Sent)
	switch {
	case since > maxOwnHoldAge:
		in.State, in.Error = bridge.IntentFailed, "still held a day after a hand-back of ours was cut off: scontrol release, unless an administrator holds it"
	case in.Before.HeldByUsAt.IsZero() && since <= maxHoldDelay:
		in.Before.HeldByUsAt = now
	}
}

// CountUnsettledIntents counts the intents whose outcome is still to be seen, those included
// whose job is absent without a proof that it is gone. Hand-backs that wait for a
// person, not for a poll, do not count.
func CountUnsettledIntents(intents []bridge.Intent, v *slurm.View) int {
	n := 0
	for i := range intents {
		in := &intents[i]
		id := in.Edit.Run.Job
		if in.State.IsOpen() || in.State == bridge.IntentObserved && v.Job(id) == nil && !v.IsProvenGone(id) {
			n++
		}
	}
	for _, d := range UnfinishedHandBacks(intents, v) {
		if !d.Ours {
			n--
		}
	}
	return n
}

// NewUndoIntents makes the intents of edits that give values of ours back, to be stored
// by the leader of the epoch.
func NewUndoIntents(book *IntentBook, v *slurm.View, cluster string, epoch int64, edits []slurm.Edit) []bridge.Intent {
	out := make([]bridge.Intent, len(edits))
	for i, e := range edits {
		out[i] = bridge.Intent{
			Cluster: cluster, Epoch: epoch, Policy: "release", Edit: e,
			Before: BeforeOfEdit(book, v.Job(e.Run.Job), e, v.At), State: bridge.IntentPlanned, Made: v.At,
		}
	}
	return out
}
