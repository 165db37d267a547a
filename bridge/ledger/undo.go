package ledger

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Undo returns the edits that give back every value of ours that stands in
// Slurm, also in jobs left to a person: one per job and field, and only where
// the value is not somebody else's by now. Held jobs are left alone: no edit
// may reach them.
func Undo(intents []bridge.Intent, v *slurm.View, now time.Time) []slurm.Edit {
	book, last := NewBook(intents), newest(intents)
	var edits []slurm.Edit
	for i := range intents {
		in := &intents[i]
		j := v.Job(in.Edit.Run.Job)
		if in.State != bridge.Observed || in.ID != last[spotOf(in)] || j == nil || j.Done() || ended(j) || j.Held || j.Opaque != "" {
			continue
		}
		field := FieldOf(in.Edit.Kind)
		if book.Standing(j.Run(), field, now) != in || book.Open(j.ID, field) != nil || Whose(in, j) == Theirs {
			continue // no longer ours, or an outcome is still to be seen
		}
		if e, ok := Neutral(in, j, now); ok {
			edits = append(edits, e)
		}
	}
	// A begin time goes last: once it is gone the job may start, and the rest can
	// no longer be given back.
	slices.SortStableFunc(edits, func(a, b slurm.Edit) int { return starts(a) - starts(b) })
	return edits
}

// ended reports whether the job is on its way out for good: it cleans up, and no
// edit reaches it.
func ended(j *slurm.Job) bool {
	return j.Flag("COMPLETING") && j.State != "PENDING" && j.State != "RUNNING" && j.State != "SUSPENDED"
}

// Stuck returns the values of ours that stand in jobs that cannot be written to
// now: the job runs, is held by a person, or cannot be read. They can be given
// back when it waits again.
func Stuck(intents []bridge.Intent, v *slurm.View, now time.Time) []slurm.Edit {
	book := NewBook(intents)
	var edits []slurm.Edit
	for i := range intents {
		in := &intents[i]
		j := v.Job(in.Edit.Run.Job)
		if in.State != bridge.Observed || j == nil || j.Done() || book.Standing(j.Run(), FieldOf(in.Edit.Kind), now) != in {
			continue
		}
		_, ok := Neutral(in, j, now)
		if (!ok || j.Held || j.Opaque != "") && Whose(in, j) != Theirs {
			edits = append(edits, in.Edit)
		}
	}
	return edits
}

func starts(e slurm.Edit) int {
	if e.Kind == slurm.Unlease {
		return 1
	}
	return 0
}

// Neutral returns the edit that gives the intent's field of the job back to
// what it was; ok is false where there is nothing to give back, for example
// because the job runs and the field can no longer be written.
func Neutral(in *bridge.Intent, j *slurm.Job, now time.Time) (e slurm.Edit, ok bool) {
	e = slurm.Edit{Run: j.Run(), Kind: in.Edit.Kind, Tasks: max(in.Edit.Tasks, 1), Why: "give back what we had set"}
	pending := j.Pending()
	switch in.Edit.Kind {
	case slurm.SiteFactor:
		return e, true
	case slurm.Nice:
		e.Value = in.Before.OwnNice()
		return e, true
	case slurm.Priority:
		e.Kind, e.Value = slurm.HandBack, in.Before.Nice // a direct priority wiped it
		return e, pending
	case slurm.Lease:
		e.Kind, e.Until = slurm.Unlease, now
		if in.Before.Begin.After(now) {
			e.Until = in.Before.Begin
		}
		return e, pending
	case slurm.Require:
		e.Nodes = in.Before.Required.Names
		return e, pending && in.Before.Required.Unread == ""
	case slurm.Exclude:
		e.Nodes = in.Before.Excluded.Names
		return e, pending && in.Before.Excluded.Unread == ""
	}
	return e, false
}
