package bridge

import (
	"time"

	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// beforeOf notes what stands in the job before an edit, so that it can be
// given back. Where a value of ours stands already, the owner's own is copied
// from the intent that replaced it.
func beforeOf(book *ledger.Book, j *slurm.Job, e slurm.Edit, now time.Time) ledger.Before {
	b := ledger.Before{
		Eligible: j.Eligible, Begin: j.Eligible, Priority: j.Priority, Nice: j.Nice,
		Required: j.Required, Excluded: j.Excluded, Restarts: j.Restarts, State: j.State,
	}
	field := ledger.FieldOf(e.Kind)
	switch field {
	case ledger.Required:
		b.Found = j.Required
	case ledger.Excluded:
		b.Found = j.Excluded
	}
	in := book.Standing(j.Run(), field, now)
	if in == nil {
		return b
	}
	switch field {
	case ledger.Begin:
		b.Begin = in.Before.Begin
	case ledger.Required:
		b.Required = in.Before.Required
	case ledger.Excluded:
		b.Excluded = in.Before.Excluded
	case ledger.NiceBy:
		b.Ours = j.Nice - (in.Before.Nice - in.Before.Ours)
	case ledger.Priority:
		b.Ours, b.Nice = in.Edit.Value, in.Before.Nice
	default:
		b.Ours = in.Edit.Value
	}
	return b
}

// notAfter returns when an edit loses its meaning: a lease at its end, the
// rest never by itself.
func notAfter(e slurm.Edit) time.Time {
	if e.Kind == slurm.Lease {
		return e.Until
	}
	return time.Time{}
}

// moved compares a job read just before the push with the view the decision
// was made from. gone says that the edit has lost its object; changed says
// that somebody else wrote the field, or holds the job.
func moved(e slurm.Edit, b ledger.Before, j *slurm.Job) (gone, changed string) {
	switch {
	case !e.Run.Same(j.Run()):
		return "it is another run now", ""
	case j.Held:
		return "", "it is held"
	case j.State != b.State:
		return "it is " + j.State + " now", ""
	}
	return "", rewritten(e, b, j)
}

// rewritten says which field somebody else wrote since the decision; "" when
// nobody did.
func rewritten(e slurm.Edit, b ledger.Before, j *slurm.Job) string {
	switch ledger.FieldOf(e.Kind) {
	case ledger.Begin:
		if !j.Eligible.Equal(b.Eligible) && j.Eligible.After(b.Eligible) {
			return "its begin time is " + j.Eligible.UTC().Format(time.RFC3339) + " now"
		}
	case ledger.NiceBy:
		if j.Nice != b.Nice {
			return "its nice was changed"
		}
	case ledger.Required:
		if j.Required != b.Found {
			return "its required nodes are " + j.Required + " now"
		}
	case ledger.Excluded:
		if j.Excluded != b.Found {
			return "its excluded nodes are " + j.Excluded + " now"
		}
	}
	return ""
}
