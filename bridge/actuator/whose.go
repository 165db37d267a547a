package actuator

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// ValueOwner says whose the value in a field of a job is.
type ValueOwner string

// The owners.
const (
	OwnerUs     ValueOwner = "ours"   // exactly what we wrote
	OwnerOther  ValueOwner = "theirs" // somebody wrote it after us
	OwnerHidden ValueOwner = "hidden" // the record does not show the field: it stays ours until it does
)

func ownerUsIf(ours bool) ValueOwner {
	if ours {
		return OwnerUs
	}
	return OwnerOther
}

// ValueOwnerOf says whose the value is that the record shows in the intent's field.
// Settling, intake, the gate, the push right before a call and release all ask here.
func ValueOwnerOf(in *bridge.Intent, j *slurm.Job) ValueOwner {
	if f := EditKindRowOf(in.Edit.Kind).Field; f.ValueOwnerOf != nil {
		return f.ValueOwnerOf(in, j)
	}
	return OwnerHidden
}

// ForeignChange says what somebody else made of the intent's value; "" where nothing
// shows it.
func ForeignChange(in *bridge.Intent, j *slurm.Job) string {
	if f := EditKindRowOf(in.Edit.Kind).Field; f.ForeignChange != nil {
		return f.ForeignChange(in, j)
	}
	return ""
}

// GivesBack reports whether the edit gives its field back to what it was
// without us. own is the Before of the value of ours that stands there, nil
// when none does.
func GivesBack(e slurm.Edit, own *bridge.JobBefore) bool {
	return EditKindRowOf(e.Kind).givesBack(&e, own)
}

func (r *EditKindRow) givesBack(e *slurm.Edit, own *bridge.JobBefore) bool {
	return r.Field.GivesBack != nil && r.Field.GivesBack(e, own)
}

// LeavesNoValue reports whether nothing of ours stands in the field after the intent:
// it gave its field back, or leaves no value.
func LeavesNoValue(in *bridge.Intent) bool {
	r := EditKindRowOf(in.Edit.Kind)
	return r.LeavesNoValue || r.givesBack(&in.Edit, &in.Before)
}

// ChangeSince says what was written into the kind's field since what was noted; ""
// when nothing was, or that cannot be told.
func ChangeSince(k slurm.EditKind, noted *bridge.JobBefore, j *slurm.Job) string {
	if f := EditKindRowOf(k).Field; f.ChangeSince != nil {
		return f.ChangeSince(noted, j)
	}
	return ""
}

// SlurmChangeSince says what Slurm itself made of the kind's field since what was noted; ""
// when it made nothing of it.
func SlurmChangeSince(k slurm.EditKind, noted *bridge.JobBefore, j *slurm.Job) string {
	if f := EditKindRowOf(k).Field; f.SlurmChangeSince != nil {
		return f.SlurmChangeSince(noted, j)
	}
	return ""
}

// BeforeFromJob is what a job shows, as it is noted before an edit.
func BeforeFromJob(j *slurm.Job) bridge.JobBefore {
	gpus := requestedGPUs(j)
	return bridge.JobBefore{
		Eligible: j.EligibleTime, Begin: j.EligibleTime, Priority: j.Priority, Nice: j.Nice,
		Required: j.RequiredNodes, Excluded: j.ExcludedNodes, Restarts: j.Restarts, State: j.State, User: j.User,
		GPUs: gpus.Count, GPUType: gpus.Type,
	}
}

// UnreadReason says why what stands in the kind's field cannot be read, and would be lost
// by a write; "" when it can be.
func UnreadReason(k slurm.EditKind, j *slurm.Job) string {
	if f := EditKindRowOf(k).Field; f.UnreadReason != nil {
		return f.UnreadReason(j)
	}
	return ""
}

// ForeignOverwrite says what somebody wrote into the field of an intent whose outcome
// is open: the field shows neither the intent's value nor what stood there
// before. "" when it shows one of them, or is not shown.
func ForeignOverwrite(in *bridge.Intent, j *slurm.Job) string {
	if ValueOwnerOf(in, j) != OwnerOther || ChangeSince(in.Edit.Kind, &in.Before, j) == "" {
		return ""
	}
	return ForeignChange(in, j)
}

// NoteOwnersOverwrite notes in an intent whose outcome is open what somebody wrote into its field
// since it was made: a call that is carried out late takes the place of that, and it is what
// is to be given back. It reports whether there was such a thing.
func NoteOwnersOverwrite(in *bridge.Intent, j *slurm.Job) bool {
	f := EditKindRowOf(in.Edit.Kind).Field
	if f.NoteOwnersValue == nil || ForeignOverwrite(in, j) == "" {
		return false
	}
	f.NoteOwnersValue(&in.Before, j)
	return true
}

// ShowsEffect reports whether the job shows the effect of the intent.
func ShowsEffect(in *bridge.Intent, j *slurm.Job) bool {
	r := EditKindRowOf(in.Edit.Kind)
	return r.ShowsEffect == nil || r.ShowsEffect(in, j)
}

// NewUndoEdit returns the edit that gives the intent's field of the job back to what it
// was; ok is false where there is nothing to give back, for example because the
// job runs and the field can no longer be written.
func NewUndoEdit(in *bridge.Intent, j *slurm.Job, now time.Time) (e slurm.Edit, ok bool) {
	return newUndoEditBy(EditKindRowOf(in.Edit.Kind).Undo, in, j, now)
}

// newUndoEditBy carries out one way of giving back.
func newUndoEditBy(how UndoFunc, in *bridge.Intent, j *slurm.Job, now time.Time) (e slurm.Edit, ok bool) {
	e = slurm.Edit{Run: j.CurrentRun(), Address: j.Address(), Kind: in.Edit.Kind, Tasks: max(in.Edit.Tasks, 1), Why: "give back what we had set"}
	return e, how != nil && how(&e, in, j, now)
}

// valueShownFunc is the effect of an edit whose value the record shows.
func valueShownFunc(f *FieldRow) func(*bridge.Intent, *slurm.Job) bool {
	return func(in *bridge.Intent, j *slurm.Job) bool { return f.ValueOwnerOf(in, j) == OwnerUs }
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
