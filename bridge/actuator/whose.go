package actuator

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Owner says whose the value in a field of a job is.
type Owner string

// The owners.
const (
	Ours   Owner = "ours"   // exactly what we wrote
	Theirs Owner = "theirs" // somebody wrote it after us
	Hidden Owner = "hidden" // the record does not show the field: it stays ours until it does
)

func oursIf(ours bool) Owner {
	if ours {
		return Ours
	}
	return Theirs
}

// OwnerOf says whose the value is that the record shows in the intent's field.
// Settling, intake, the gate, the push right before a call and release all ask here.
func OwnerOf(in *bridge.Intent, j *slurm.Job) Owner {
	if f := RowOf(in.Edit.Kind).Field; f.Whose != nil {
		return f.Whose(in, j)
	}
	return Hidden
}

// ForeignChange says what somebody else made of the intent's value; "" where no record
// shows it.
func ForeignChange(in *bridge.Intent, j *slurm.Job) string {
	if f := RowOf(in.Edit.Kind).Field; f.Foreign != nil {
		return f.Foreign(in, j)
	}
	return ""
}

// GivesBack reports whether the edit gives its field back to what it was
// without us. own is the Before of the value of ours that stands there, nil
// when none does.
func GivesBack(e slurm.Edit, own *bridge.Before) bool {
	return RowOf(e.Kind).givesBack(&e, own)
}

func (r *Row) givesBack(e *slurm.Edit, own *bridge.Before) bool {
	return r.Field.GivesBack != nil && r.Field.GivesBack(e, own)
}

// LeavesNothing reports whether nothing of ours stands in the field after the intent:
// it gave its field back, or leaves no value.
func LeavesNothing(in *bridge.Intent) bool {
	r := RowOf(in.Edit.Kind)
	return r.Momentary || r.givesBack(&in.Edit, &in.Before)
}

// ChangeSince says what was written into the kind's field since what was noted; ""
// when nothing was, or that cannot be told.
func ChangeSince(k slurm.Kind, noted *bridge.Before, j *slurm.Job) string {
	if f := RowOf(k).Field; f.Touched != nil {
		return f.Touched(noted, j)
	}
	return ""
}

// SlurmChangeSince says what Slurm itself made of the kind's field since what was noted; ""
// when it made nothing of it.
func SlurmChangeSince(k slurm.Kind, noted *bridge.Before, j *slurm.Job) string {
	if f := RowOf(k).Field; f.ChangedBySlurm != nil {
		return f.ChangedBySlurm(noted, j)
	}
	return ""
}

// BeforeFrom is what a job shows, as it is noted before an edit.
func BeforeFrom(j *slurm.Job) bridge.Before {
	return bridge.Before{
		Eligible: j.Eligible, Begin: j.Eligible, Priority: j.Priority, Nice: j.Nice,
		Required: j.Required, Excluded: j.Excluded, Restarts: j.Restarts, State: j.State, User: j.User,
	}
}

// UnreadReason says why what stands in the kind's field cannot be read, and would be lost
// by a write; "" when it can be.
func UnreadReason(k slurm.Kind, j *slurm.Job) string {
	if f := RowOf(k).Field; f.Unread != nil {
		return f.Unread(j)
	}
	return ""
}

// Overwritten says what somebody wrote into the field of an intent whose outcome
// is open: the field shows neither the intent's value nor what stood there
// before. "" when it shows one of them, or is not shown.
func Overwritten(in *bridge.Intent, j *slurm.Job) string {
	if OwnerOf(in, j) != Theirs || ChangeSince(in.Edit.Kind, &in.Before, j) == "" {
		return ""
	}
	return ForeignChange(in, j)
}

// ShowsEffect reports whether the job shows the effect of the intent.
func ShowsEffect(in *bridge.Intent, j *slurm.Job) bool {
	r := RowOf(in.Edit.Kind)
	return r.Shows == nil || r.Shows(in, j)
}

// UndoEdit returns the edit that gives the intent's field of the job back to what it
// was; ok is false where there is nothing to give back, for example because the
// job runs and the field can no longer be written.
func UndoEdit(in *bridge.Intent, j *slurm.Job, now time.Time) (e slurm.Edit, ok bool) {
	return undoBy(RowOf(in.Edit.Kind).Undo, in, j, now)
}

// undoBy carries out one way of giving back.
func undoBy(how UndoFunc, in *bridge.Intent, j *slurm.Job, now time.Time) (e slurm.Edit, ok bool) {
	e = slurm.Edit{Run: j.Run(), Kind: in.Edit.Kind, Tasks: max(in.Edit.Tasks, 1), Why: "give back what we had set"}
	return e, how != nil && how(&e, in, j, now)
}

// showsValue is the effect of an edit whose value the record shows.
func showsValue(f *Field) func(*bridge.Intent, *slurm.Job) bool {
	return func(in *bridge.Intent, j *slurm.Job) bool { return f.Whose(in, j) == Ours }
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }
