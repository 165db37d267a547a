package ledger

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// UndoEdits returns the edits that give back every value of ours that stands in
// Slurm, also in jobs left to a person: one per job and field, and only where
// the value is not somebody else's by now. Held jobs are left alone: no edit
// may reach them.
func UndoEdits(intents []bridge.Intent, v *slurm.View, now time.Time) []slurm.Edit {
	book, last := NewIntentBook(intents), lastSeenIDByField(intents)
	var edits []slurm.Edit
	for i := range intents {
		in := &intents[i]
		j := v.Job(in.Edit.Run.Job)
		if in.State != bridge.IntentObserved || in.ID != last[in.Edit.WrittenField()] || j == nil || j.IsDone() || isJobEnding(j) || j.IsHeld || j.UntrustedReason != "" {
			continue
		}
		field := in.Edit.Kind.Field()
		if book.StandingIntent(j.CurrentRun(), field, now) != in || book.OpenIntent(j.ID, field) != nil || book.ValueOwnerOf(in, j, v) == actuator.OwnerOther {
			continue // no longer ours, or an outcome is still to be seen
		}
		if field == slurm.FieldRequiredNodes && actuator.BoundReason(book.OpenIntent(j.ID, slurm.FieldGPUs), j) != "" {
			continue
		}
		if e, ok := actuator.NewUndoEdit(in, j, now); ok {
			edits = append(edits, e)
		}
	}
	edits = append(edits, repeatedUndoEdits(intents, v)...)
	// A begin time goes last: once it is gone the job may start, and the rest can
	// no longer be given back, but for what only tells.
	slices.SortStableFunc(edits, func(a, b slurm.Edit) int { return undoRank(a) - undoRank(b) })
	return edits
}

// isJobEnding reports whether the job is on its way out for good: it cleans up, and no
// edit reaches it.
func isJobEnding(j *slurm.Job) bool {
	return j.HasFlag("COMPLETING") && j.State != "PENDING" && j.State != "RUNNING" && j.State != "SUSPENDED"
}

// BlockedUndoEdits returns the values of ours that stand in jobs that cannot be written to
// now: the job runs, is held by a person, or cannot be read. They can be given
// back when it waits again.
func BlockedUndoEdits(intents []bridge.Intent, v *slurm.View, now time.Time) []slurm.Edit {
	book := NewIntentBook(intents)
	var edits []slurm.Edit
	for i := range intents {
		in := &intents[i]
		j := v.Job(in.Edit.Run.Job)
		if in.State != bridge.IntentObserved || j == nil || j.IsDone() || book.StandingIntent(j.CurrentRun(), in.Edit.Kind.Field(), now) != in {
			continue
		}
		_, ok := actuator.NewUndoEdit(in, j, now)
		if (!ok || j.IsHeld || j.UntrustedReason != "") && book.ValueOwnerOf(in, j, v) != actuator.OwnerOther {
			e := in.Edit
			e.Address = j.Address()
			edits = append(edits, e)
		}
	}
	return edits
}

func undoRank(e slurm.Edit) int {
	switch row := actuator.EditKindRowOf(e.Kind); {
	case row.OnlyTells:
		return 3
	case row.LetsJobStart:
		return 2
	case row.Field.Name == slurm.FieldGPUs: // a job on shards stays bound to its node until it has its GPU back
		return 0
	}
	return 1
}
