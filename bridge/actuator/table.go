package actuator

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// EditKindRow is what there is to know of one kind of edit.
type EditKindRow struct {
	Kind  slurm.EditKind
	Field *FieldRow

	NeededMode     bridge.Mode // the mode it needs; giving back needs Rank only
	SendPhase      SendPhase   // when it is sent
	LeavesNoValue  bool        // it leaves no value in Slurm
	IsRepeatable   bool        // without an answer it may be sent once more: the value is the same however often it is written
	AddsToPriority bool        // it adds to Slurm's own priority, which is to follow
	LetsJobStart   bool        // once it is carried out the job may start
	OnlyTells      bool        // nothing in Slurm reads what it writes: it has a budget of its own, is sent last, and what becomes of it says nothing of other edits
	TakesTwoCalls  bool        // it holds the job and releases it; cut off between the two calls, the job stays held
	StopTiming     StopTiming  // whether a running job loses its devices by it

	// ShowsEffect reports whether the job shows the effect. It may adopt what Slurm made
	// of the edit into the intent.
	ShowsEffect func(in *bridge.Intent, j *slurm.Job) bool
	// WasOverruled reports whether an edit that Slurm said yes to, and that the job does
	// not show, was undone by somebody; nil: that cannot be told.
	WasOverruled func(in *bridge.Intent, j *slurm.Job) bool
	// Undo makes the edit one that gives the intent's value back. It is handed the
	// run and the intent's kind, and returns false where there is nothing to give
	// back, or the field can no longer be written; nil: never.
	Undo UndoFunc
	// Check says why an edit of the kind may not be sent, as far as that is seen from
	// the edit and its job alone; nil: nothing.
	Check func(*EditContext) *invariant.Denial
	// WantedEdits returns the edits that lead to what a plan's decisions want of it, and
	// those that give back what they no longer want; nil: no plan wants it.
	WantedEdits func(*PartitionGoal) []slurm.Edit
}

// UndoFunc is a way of giving a value back.
type UndoFunc func(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, now time.Time) bool

// FieldRow is what there is to know of one field. Several kinds of edit may write it.
type FieldRow struct {
	Name slurm.Field

	// IsHidden says that no record of slurmrestd's shows the field.
	IsHidden bool
	// ValueOwnerOf says whose the value is that the record shows; nil: nothing shows it.
	ValueOwnerOf func(in *bridge.Intent, j *slurm.Job) ValueOwner
	// ForeignChange says what somebody else made of our value.
	ForeignChange func(in *bridge.Intent, j *slurm.Job) string
	// GivesBack reports whether the edit gives the field back. own is the Before of
	// the value of ours that stands there, nil when none does. nil: none does.
	GivesBack func(e *slurm.Edit, own *bridge.JobBefore) bool
	// UnreadReason says why what stands in the field cannot be read, and would be lost by a
	// write; "" when it can be. nil: it always can be, or nothing is lost.
	UnreadReason func(j *slurm.Job) string
	// ChangeSince says what was written into the field since what was noted; "" when
	// nothing was. nil: it changes by itself, or is not shown.
	ChangeSince func(noted *bridge.JobBefore, j *slurm.Job) string
	// SlurmChangeSince says what Slurm itself made of the field since what was noted, so that
	// nobody is to blame and the job is planned anew; "" when it made nothing of it.
	// nil: it never does.
	SlurmChangeSince func(noted *bridge.JobBefore, j *slurm.Job) string
	// FillBeforeValues keeps in b, which has what the job shows, what stood in the field without
	// us. in is the intent whose value of ours stands there, nil without one, and
	// most the highest number of ours that may stand.
	FillBeforeValues func(b *bridge.JobBefore, in *bridge.Intent, most int64)
	// NoteOwnersValue keeps in b, as what stood in the field without us, what the job shows now.
	// nil: what its owner writes while a call of ours is under way is not kept.
	NoteOwnersValue func(b *bridge.JobBefore, j *slurm.Job)
	// ValueEndReason says how a value of ours that stood ended without anybody's doing; ""
	// when it did not. nil: it ends with the job.
	ValueEndReason func(in *bridge.Intent, j *slurm.Job, now time.Time) string
	// OutliveLimit says how long a value of ours may outlive a daemon that died.
	OutliveLimit OutliveLimit
}

// OutliveLimit says how long a value may outlive a daemon that died.
type OutliveLimit int

// From the harmless to the harmful.
const (
	OutlivesUntilExpiry OutliveLimit = iota // it ends by itself
	OutlivesForLong                         // an order: it is taken back when no daemon has led for long
	OutlivesBriefly                         // it may keep the job from ever starting: it is taken back soon
)

// StopTiming says whether a running job loses its devices by an edit, which is counted
// against the budgets of stops.
type StopTiming int

// The ways to stop a job.
const (
	NoStop     StopTiming = iota
	StopsNow              // a requeue
	StopsLater            // a warning ahead of one
)

// SendPhase is when an edit is sent, lowest first. What gives back goes before all.
type SendPhase int

// The turns: what sets jobs free, what keeps a hold from lapsing, sizes ahead of what lets their jobs start, what makes room
// for others, then new leases, order, and the rest; what only tells comes last, also when it
// is given back.
const (
	PhaseGiveBack SendPhase = iota
	PhaseRenewLease
	PhaseSize
	PhaseStop
	PhaseLease
	PhaseOrder
	PhaseOther
	PhaseTell
)

// EditKindTable is the table: every kind of edit once.
var EditKindTable = []EditKindRow{
	leaseRow, unleaseRow, priorityRow, hardHoldRow, handBackPriorityRow, niceRow, requireNodesRow, excludeNodesRow, siteFactorRow, setGPUsRow, setShardsRow, requeueRow, warnRow, adminCommentRow,
}

var rowByEditKind, fieldRowByName = func() (map[slurm.EditKind]*EditKindRow, map[slurm.Field]*FieldRow) {
	rows, fields := map[slurm.EditKind]*EditKindRow{}, map[slurm.Field]*FieldRow{}
	for i := range EditKindTable {
		rows[EditKindTable[i].Kind], fields[EditKindTable[i].Field.Name] = &EditKindTable[i], EditKindTable[i].Field
	}
	return rows, fields
}()

// unknownEditKindRow is the row of a kind of edit that there is not: it does nothing.
var unknownEditKindRow = &EditKindRow{Field: runField, LeavesNoValue: true}

// EditKindRowOf returns what there is to know of a kind of edit.
func EditKindRowOf(k slurm.EditKind) *EditKindRow {
	if r, ok := rowByEditKind[k]; ok {
		return r
	}
	return unknownEditKindRow
}

// IsFieldShown reports whether a record shows the field.
func IsFieldShown(f slurm.Field) bool {
	x := fieldRowByName[f]
	return x != nil && x.ValueOwnerOf != nil && !x.IsHidden
}

// FieldsWhere returns the fields of those rows that are picked, in the order of the
// table, each once.
func FieldsWhere(pick func(*EditKindRow) bool) []slurm.Field {
	var out []slurm.Field
	for i := range EditKindTable {
		if r := &EditKindTable[i]; pick(r) && !slices.Contains(out, r.Field.Name) {
			out = append(out, r.Field.Name)
		}
	}
	return out
}
