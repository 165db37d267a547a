package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// slurmctld that is killed loses its last seconds, and one that is started with a state
// directory from a copy everything since. A job then shows what stood in it before our
// last value: that is no change of a person's.

// maxStateLossTime is how long after a start of slurmctld a job may be seen for the first time
// with what stood in it before us. Later that is a person's wish.
const maxStateLossTime = 5 * time.Minute

// StateLossReason is what is noted of a value that slurmctld does not know any more.
const StateLossReason = "slurmctld was started with an older state, without it"

// ValueOwnerOf says whose the value is that the job shows where the intent wrote. When
// slurmctld was started since, a value of ours from before the intent's may stand again, which is
// ours too, but for one that the owner had set himself when the intent was made; and where the
// record does not tell whether one does, the value is hidden.
func (b *IntentBook) ValueOwnerOf(in *bridge.Intent, j *slurm.Job, v *slurm.View) actuator.ValueOwner {
	whose := actuator.ValueOwnerOf(in, j)
	if whose != actuator.OwnerOther || !wasStartedSince(in, v) {
		return whose
	}
	before := valueOwnerBefore(in, j)
	if before == actuator.OwnerUs {
		return whose
	}
	for _, old := range b.valuesOf(in.Edit.WrittenField()) {
		if old.ID >= in.ID || !isForJob(old, j, v) {
			continue
		}
		switch actuator.ValueOwnerOf(old, j) {
		case actuator.OwnerUs:
			return actuator.OwnerUs
		case actuator.OwnerHidden:
			whose = actuator.OwnerHidden
		}
	}
	if before == actuator.OwnerHidden {
		return actuator.OwnerHidden
	}
	return whose
}

// WasLost reports whether slurmctld was started without the intent's value a short while
// ago: the job shows what stood there before all of ours.
func WasLost(in *bridge.Intent, j *slurm.Job, v *slurm.View) bool {
	return wasStartedSince(in, v) && v.At.Sub(v.ControllerStart) <= maxStateLossTime &&
		actuator.ValueOwnerOf(in, j) == actuator.OwnerOther && valueOwnerBefore(in, j) == actuator.OwnerUs
}

// valueOwnerBefore says whether the job shows what stood before all values of ours: OwnerUs when it
// does.
func valueOwnerBefore(in *bridge.Intent, j *slurm.Job) actuator.ValueOwner {
	before := *in
	var ok bool
	if before.Edit, ok = actuator.NewUndoEdit(in, j, time.Time{}); !ok { // a begin time that is over, too, and not now
		return actuator.OwnerOther
	}
	return actuator.ValueOwnerOf(&before, j)
}

// wasStartedSince reports whether slurmctld was started after the intent was sent, or in the same
// second: it tells whole ones.
func wasStartedSince(in *bridge.Intent, v *slurm.View) bool {
	return !v.ControllerStart.IsZero() && !in.LastTouched().Truncate(time.Second).After(v.ControllerStart)
}

// wasStartedSinceAny reports whether slurmctld was started after any of the intents was sent.
func wasStartedSinceAny(intents []bridge.Intent, v *slurm.View) bool {
	for i := range intents {
		if wasStartedSince(&intents[i], v) {
			return true
		}
	}
	return false
}

// isForJob reports whether the intent's value is one of the job, and has not run out.
func isForJob(in *bridge.Intent, j *slurm.Job, v *slurm.View) bool {
	return IsSameJob(in.Edit.Run, j.CurrentRun()) && (in.NotAfter.IsZero() || v.At.Before(in.NotAfter))
}

// leftValue reports whether the intent left a value of ours in Slurm that can be given back.
func leftValue(in *bridge.Intent) bool {
	reached := in.State == bridge.IntentObserved || in.State == bridge.IntentExpired || in.State == bridge.IntentYielded && !in.Sent.IsZero()
	return reached && !actuator.LeavesNoValue(in) && actuator.EditKindRowOf(in.Edit.Kind).Undo != nil
}

// settleLostIntent closes an intent to which slurmctld said yes and which it lost before a poll
// showed it. One that no record shows may stand all the same: it stays on the books.
func settleLostIntent(in *bridge.Intent, j *slurm.Job) {
	in.State, in.Error = bridge.IntentExpired, StateLossReason
	if actuator.ValueOwnerOf(in, j) == actuator.OwnerHidden && !actuator.EditKindRowOf(in.Edit.Kind).LeavesNoValue {
		in.State, in.Polls = bridge.IntentObserved, 0
	}
}

// fieldHistory is what the ledger knows of one field of a job.
type fieldHistory struct {
	at        slurm.JobField
	last      *bridge.Intent   // the newest that reached Slurm
	values    []*bridge.Intent // those that left a value, by ID
	isTaken   bool             // a value of ours stands, or an outcome is open
	yieldedAt time.Time        // when somebody's change was last seen
}

// fieldHistories returns the history of each field, in the order of the first intent of each; none
// when slurmctld was not started since any of the intents was sent.
func fieldHistories(intents []bridge.Intent, v *slurm.View) []*fieldHistory {
	if !wasStartedSinceAny(intents, v) {
		return nil
	}
	var out []*fieldHistory
	byField := map[slurm.JobField]*fieldHistory{}
	for i := range intents {
		in := &intents[i]
		h := byField[in.Edit.WrittenField()]
		if h == nil {
			h = &fieldHistory{at: in.Edit.WrittenField()}
			byField[h.at], out = h, append(out, h)
		}
		if in.State == bridge.IntentYielded {
			h.yieldedAt = in.Closed
		}
		switch {
		case in.State.IsOpen() || in.State == bridge.IntentObserved:
			h.isTaken = true
		case leftValue(in):
			h.values, h.last = append(h.values, in), in
		case in.State == bridge.IntentExpired:
			h.last = in
		}
	}
	return out
}

// OlderStateIntents returns an intent without ID for every value of ours that was replaced or given
// back and stands in its job again, because slurmctld was started with an older state since. Such an
// intent is OBSERVED, was never sent, and its Before is that of the older one. A node list or a
// number of GPUs that had been given back is not among them: its owner may have asked for the same. Neither is
// what a person had set before that start, or was seen to have set since, though it be one of our numbers.
func OlderStateIntents(intents []bridge.Intent, v *slurm.View) []bridge.Intent {
	var out []bridge.Intent
	for _, h := range fieldHistories(intents, v) {
		j := v.Job(h.at.Job)
		if h.isTaken || h.last == nil || j == nil || !j.IsPending() || j.UntrustedReason != "" || !wasStartedSince(h.last, v) || h.isOwnersValue(j, v) {
			continue
		}
		if in := h.findShownValue(j, v); in != nil {
			out = append(out, newOlderStateIntent(in, j, v.At))
		}
	}
	return out
}

// isOwnersValue reports whether what the job shows is what its owner set, and not what an older
// state brought back: it stood before our last one, it is still what we stepped aside for, or
// somebody's change was seen after slurmctld had been started, so that its start did not undo it.
func (h *fieldHistory) isOwnersValue(j *slurm.Job, v *slurm.View) bool {
	switch {
	case h.yieldedAt.After(v.ControllerStart):
		return true
	case h.last.State == bridge.IntentYielded:
		return h.last.Error == actuator.ForeignChange(h.last, j)
	}
	return valueOwnerBefore(h.last, j) == actuator.OwnerUs
}

// findShownValue returns the newest intent of ours whose value the job shows, or nil.
func (h *fieldHistory) findShownValue(j *slurm.Job, v *slurm.View) *bridge.Intent {
	isAsk := h.at.Field == slurm.FieldRequiredNodes || h.at.Field == slurm.FieldExcludedNodes || h.at.Field == slurm.FieldGPUs
	if isAsk && actuator.LeavesNoValue(h.last) {
		return nil
	}
	for i := len(h.values) - 1; i >= 0; i-- {
		if in := h.values[i]; isForJob(in, j, v) && actuator.ValueOwnerOf(in, j) == actuator.OwnerUs {
			return in
		}
	}
	return nil
}

func newOlderStateIntent(in *bridge.Intent, j *slurm.Job, now time.Time) bridge.Intent {
	out := newRestoredIntent(in, j, now)
	out.Edit.Why = "it stands again: slurmctld was started with an older state"
	return out
}

// repeatedUndoEdits gives back once more what no record shows and was given back before
// slurmctld was started: with an older state it stands again.
func repeatedUndoEdits(intents []bridge.Intent, v *slurm.View) []slurm.Edit {
	var edits []slurm.Edit
	for _, h := range fieldHistories(intents, v) {
		j := v.Job(h.at.Job)
		if h.isTaken || h.last == nil || actuator.IsFieldShown(h.at.Field) || !actuator.LeavesNoValue(h.last) || !wasStartedSince(h.last, v) ||
			j == nil || !j.IsPending() || j.IsHeld || j.UntrustedReason != "" || !isForJob(h.last, j, v) || actuator.ValueOwnerOf(h.last, j) != actuator.OwnerHidden {
			continue
		}
		if e, ok := actuator.NewUndoEdit(h.last, j, v.At); ok {
			edits = append(edits, e)
		}
	}
	return edits
}
