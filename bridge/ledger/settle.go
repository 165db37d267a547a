package ledger

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// maxMissedPolls is how many polls may miss the effect of an edit Slurm said yes to.
const maxMissedPolls = 2

// supersededReason is what is noted of a value in whose place a later one of ours came.
const supersededReason = "superseded"

// maxUnansweredTime is how long an edit without an answer may still be carried out:
// one and a half times Slurm's default controller time-out, plus a minute.
const maxUnansweredTime = 4 * time.Minute

// SettleIntents compares the intents with what a poll shows and returns those that
// changed, with their new state. It believes the poll and nothing else: a
// value that is not the one we wrote belongs to its writer. That a job is
// absent proves nothing: its intents stay as they are until Slurm says that it
// does not know the job (View.GoneJobs). It is for the leader, at the start of a
// cycle.
func SettleIntents(intents []bridge.Intent, v *slurm.View, now time.Time) []bridge.Intent {
	last, awaited, book := lastSeenIDByField(intents), lastAwaitedIDByField(intents), NewIntentBook(intents)
	var changed []bridge.Intent
	var after bridge.Intent
	for i := range intents {
		in := &intents[i]
		if !in.State.IsOpen() && in.State != bridge.IntentObserved {
			continue
		}
		if in.State == bridge.IntentObserved && in.ID < awaited[in.Edit.WrittenField()] {
			continue // a later value of ours may have taken its place: wait for that
		}
		after = *in
		if j := v.Job(in.Edit.Run.Job); j != nil || in.State == bridge.IntentPlanned || v.IsProvenGone(in.Edit.Run.Job) {
			book.settleIntent(&after, j, last[in.Edit.WrittenField()], v, now)
		}
		if after.State != in.State || after.Polls != in.Polls || hasOtherBefore(&after, in) {
			if !after.State.IsOpen() && after.State != bridge.IntentObserved {
				after.Closed = now
			}
			changed = append(changed, after)
		}
	}
	return changed
}

// hasOtherBefore reports whether a look at the job changed what is noted of it.
func hasOtherBefore(after, in *bridge.Intent) bool {
	a, b := &after.Before, &in.Before
	return !a.HeldByUsAt.Equal(b.HeldByUsAt) || a.OwnNice() != b.OwnNice() || !a.Begin.Equal(b.Begin) ||
		a.GPUs != b.GPUs || a.Required.Text != b.Required.Text || a.Excluded.Text != b.Excluded.Text
}

// ReplaceChangedIntents puts those of changed, which SettleIntents returned for the intents, in
// the places of what they were, and returns the intents. The ledger of a day may be long: it is
// not copied.
func ReplaceChangedIntents(intents, changed []bridge.Intent) []bridge.Intent {
	at := 0
	for i := range changed {
		for at < len(intents) && intents[at].ID != changed[i].ID { // both in the same order
			at++
		}
		if at < len(intents) {
			intents[at] = changed[i]
		}
	}
	return intents
}

// lastSeenIDByField returns, per job and field, the ID of the last intent that was seen
// in Slurm; earlier ones were superseded by it.
func lastSeenIDByField(intents []bridge.Intent) map[slurm.JobField]int64 {
	last := map[slurm.JobField]int64{}
	for i := range intents {
		if intents[i].State == bridge.IntentObserved {
			last[intents[i].Edit.WrittenField()] = max(last[intents[i].Edit.WrittenField()], intents[i].ID)
		}
	}
	return last
}

// lastAwaitedIDByField returns, per job and field, the ID of the last intent that was sent
// and whose outcome is open.
func lastAwaitedIDByField(intents []bridge.Intent) map[slurm.JobField]int64 {
	ids := map[slurm.JobField]int64{}
	for i := range intents {
		if in := &intents[i]; in.State.IsOpen() && in.State != bridge.IntentPlanned {
			ids[in.Edit.WrittenField()] = max(ids[in.Edit.WrittenField()], in.ID)
		}
	}
	return ids
}

// AbsentJobIDs returns, sorted, the jobs whose intents wait for what became of them
// although the view does not list them and Slurm did not say that they are gone.
// Slurm is to be asked about each.
func AbsentJobIDs(intents []bridge.Intent, v *slurm.View) []int64 {
	var ids []int64
	for i := range intents {
		in, id := &intents[i], intents[i].Edit.Run.Job
		waits := in.State.IsOpen() && in.State != bridge.IntentPlanned || in.State == bridge.IntentObserved
		if waits && v.Job(id) == nil && !v.IsProvenGone(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// settleIntent settles by the job as it is listed; j is nil for one that Slurm does
// not know.
func (b *IntentBook) settleIntent(in *bridge.Intent, j *slurm.Job, last int64, v *slurm.View, now time.Time) {
	switch {
	case in.State == bridge.IntentPlanned: // a cycle sends its own intents only: plans are remade, never resumed
		in.State, in.Error = bridge.IntentVoid, "never sent: the cycle was given up before"
	case j == nil:
		in.State, in.Error = bridge.IntentExpired, "the job is gone: Slurm does not know it any more"
	case !IsSameJob(in.Edit.Run, j.CurrentRun()):
		in.State, in.Error = bridge.IntentExpired, "the id belongs to another job now"
	case in.State == bridge.IntentObserved && in.ID < last:
		in.State, in.Error = bridge.IntentExpired, supersededReason
	case in.State == bridge.IntentObserved:
		b.settleStandingIntent(in, j, v, now)
	default:
		b.settleAwaitedIntent(in, j, v, now)
	}
}

// settleAwaitedIntent looks for the effect of an intent that was sent.
func (b *IntentBook) settleAwaitedIntent(in *bridge.Intent, j *slurm.Job, v *slurm.View, now time.Time) {
	if wasHandBackCutOff(in, j) {
		keepHandBackOpen(in, now)
		return
	}
	if actuator.ShowsEffect(in, j) {
		in.State, in.Polls, in.Error = bridge.IntentObserved, 0, ""
		return
	}
	if j.IsDone() {
		in.State, in.Error = bridge.IntentExpired, "the job ended first"
		return
	}
	b.noteOwnersOverwrite(in, j, v)
	if in.State == bridge.IntentAcked {
		in.Polls++
	}
	switch {
	case in.State == bridge.IntentAcked && wasStartedSince(in, v) && !b.isOverruled(in, j, v):
		settleLostIntent(in, j)
	case in.State != bridge.IntentAcked && isUnansweredTooLong(in, now):
		in.State, in.Error = stateWithoutEffect(in, j), "no answer and no effect within "+maxUnansweredTime.String()
	case in.State == bridge.IntentAcked && in.Polls >= maxMissedPolls:
		in.State, in.Error = stateWithoutEffect(in, j), fmt.Sprintf("Slurm said yes, but %d polls do not show it", in.Polls)
	}
}

// isOverruled reports whether the job shows a value that never stood there before, so that a person set it.
func (b *IntentBook) isOverruled(in *bridge.Intent, j *slurm.Job, v *slurm.View) bool {
	return stateWithoutEffect(in, j) == bridge.IntentYielded && !WasLost(in, j, v) &&
		b.ValueOwnerOf(in, j, v) == actuator.OwnerOther
}

// noteOwnersOverwrite keeps what the owner wrote while a call without an answer may still be carried
// out: it then takes the place of that, not of what stood there when it was decided. What a
// value of ours from before shows is not the owner's. After a yes the value had been there
// before him: his is a change of ours, and no call is under way.
func (b *IntentBook) noteOwnersOverwrite(in *bridge.Intent, j *slurm.Job, v *slurm.View) {
	if in.State == bridge.IntentAcked || actuator.LeavesNoValue(in) || !j.IsPending() || j.UntrustedReason != "" || b.ValueOwnerOf(in, j, v) != actuator.OwnerOther {
		return
	}
	old := b.StandingIntent(j.CurrentRun(), in.Edit.Kind.Field(), v.At)
	if old != nil && actuator.ValueOwnerOf(old, j) == actuator.OwnerUs {
		return
	}
	if actuator.NoteOwnersOverwrite(in, j) {
		in.State = bridge.IntentUnknown // of one marked SENT only its sender can store more
	}
}

// maxSendTime is how long after it was made an intent may be sent, at the very most.
const maxSendTime = 10 * time.Minute

// isUnansweredTooLong reports whether an intent without an answer is no longer carried out. One that
// was sent later than now was sent by a clock that was ahead: when it was made, by Slurm's
// clock, is all that is known then.
func isUnansweredTooLong(in *bridge.Intent, now time.Time) bool {
	if in.Sent.After(now.Add(maxUnansweredTime)) {
		return now.Sub(in.Made) > maxSendTime+maxUnansweredTime
	}
	return now.Sub(in.Sent) > maxUnansweredTime
}

// stateWithoutEffect is what becomes of an intent without effect. A value that no record
// shows may stand all the same, under a priority that somebody set directly: it
// stays on the books, so that it is given back, and says what is wrong; what was
// to give it back and had no answer did not. An order that a record shows not to
// be taken is somebody's will too, and so is a begin time that is neither the one
// of before nor ours.
func stateWithoutEffect(in *bridge.Intent, j *slurm.Job) bridge.IntentState {
	row := actuator.EditKindRowOf(in.Edit.Kind)
	switch {
	case actuator.ValueOwnerOf(in, j) == actuator.OwnerHidden && !row.LeavesNoValue:
		if actuator.LeavesNoValue(in) && in.State != bridge.IntentAcked { // the value it was to take away still stands
			return bridge.IntentFailed
		}
		return bridge.IntentObserved
	case in.State == bridge.IntentAcked && row.WasOverruled != nil && row.WasOverruled(in, j):
		return bridge.IntentYielded
	}
	return bridge.IntentFailed
}

// settleStandingIntent watches a value of ours that stands in Slurm.
func (b *IntentBook) settleStandingIntent(in *bridge.Intent, j *slurm.Job, v *slurm.View, now time.Time) {
	if _, known := in.Edit.Kind.Form(); !known && !j.IsDone() {
		return // a newer version's: it is kept until that comes back
	}
	field := actuator.EditKindRowOf(in.Edit.Kind).Field
	ended := ""
	if field.ValueEndReason != nil {
		ended = field.ValueEndReason(in, j, now)
	}
	switch {
	case j.IsDone():
		in.State, in.Error = bridge.IntentExpired, "the job ended"
	case actuator.LeavesNoValue(in):
		in.State, in.Error = bridge.IntentExpired, "done"
	case ended != "" && j.IsPending() && !v.IsFresh(j.ID): // somebody may have changed it before it ended
	case ended != "":
		in.State, in.Error = bridge.IntentExpired, ended
	case actuator.ValueOwnerOf(in, j) == actuator.OwnerUs, b.ValueOwnerOf(in, j, v) == actuator.OwnerHidden:
	case b.ValueOwnerOf(in, j, v) == actuator.OwnerUs, WasLost(in, j, v): // an earlier one stands, or none
		in.State, in.Error = bridge.IntentExpired, StateLossReason
	default:
		in.State, in.Error = bridge.IntentYielded, actuator.ForeignChange(in, j)
	}
}

// HadNoEffect reports whether Slurm said yes to the edit and nothing came of it.
func HadNoEffect(in *bridge.Intent) bool {
	return in.State == bridge.IntentFailed && in.Polls >= maxMissedPolls
}

// MayRepeat reports whether the edit may be sent once more as it is: there was
// no answer, and it writes a value that is the same however often it is written.
func MayRepeat(in *bridge.Intent) bool {
	return in.State == bridge.IntentUnknown && actuator.EditKindRowOf(in.Edit.Kind).IsRepeatable
}

// WasPriorityIgnored reports whether Slurm said yes to the intent's value, which no record
// shows and which may stand, and the job's priority did not follow it.
func WasPriorityIgnored(in *bridge.Intent) bool {
	return in.State == bridge.IntentObserved && in.Error != "" && in.Polls >= maxMissedPolls
}

// WasOrderIgnored reports whether the intent was an order to which Slurm said yes, and the
// job's priority did not follow: somebody had set it directly.
func WasOrderIgnored(in *bridge.Intent) bool {
	return WasPriorityIgnored(in) || in.State == bridge.IntentYielded && actuator.EditKindRowOf(in.Edit.Kind).AddsToPriority && in.Polls >= maxMissedPolls
}
