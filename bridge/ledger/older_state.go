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

// ValueOwnerOf says whose the value is that the job shows where the intent wrote. A value
// of ours from before the intent's is ours too when slurmctld was started since: it
// stands again.
func (b *IntentBook) ValueOwnerOf(in *bridge.Intent, j *slurm.Job, v *slurm.View) actuator.ValueOwner {
	whose := actuator.ValueOwnerOf(in, j)
	if whose != actuator.OwnerOther || !wasStartedSince(in, v) {
		return whose
	}
	for _, old := range b.supersededIntentsByField[in.Edit.WrittenField()] {
		inForce := old.NotAfter.IsZero() || v.At.Before(old.NotAfter)
		if old.ID < in.ID && inForce && IsSameJob(old.Edit.Run, j.CurrentRun()) && actuator.ValueOwnerOf(old, j) == actuator.OwnerUs {
			return actuator.OwnerUs
		}
	}
	return whose
}

// WasLost reports whether slurmctld was started without the intent's value a short while
// ago: the job shows what stood there before all of ours.
func WasLost(in *bridge.Intent, j *slurm.Job, v *slurm.View) bool {
	if !wasStartedSince(in, v) || v.At.Sub(v.ControllerStart) > maxStateLossTime || actuator.ValueOwnerOf(in, j) != actuator.OwnerOther {
		return false
	}
	before := *in
	var ok bool
	before.Edit, ok = actuator.NewUndoEdit(in, j, v.At)
	return ok && actuator.ValueOwnerOf(&before, j) == actuator.OwnerUs
}

// wasStartedSince reports whether slurmctld was started after the intent was sent.
func wasStartedSince(in *bridge.Intent, v *slurm.View) bool {
	return in.Sent.Before(v.ControllerStart)
}

// settleLostIntent closes an intent to which slurmctld said yes and which it lost before a poll
// showed it. One that no record shows may stand all the same: it stays on the books.
func settleLostIntent(in *bridge.Intent, j *slurm.Job) {
	in.State, in.Error = bridge.IntentExpired, StateLossReason
	if actuator.ValueOwnerOf(in, j) == actuator.OwnerHidden && !actuator.EditKindRowOf(in.Edit.Kind).LeavesNoValue {
		in.State, in.Polls = bridge.IntentObserved, 0
	}
}
