package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// BeforeOf notes what stands in the job before an edit, so that it can be
// given back. Where a value of ours stands already, the owner's own is copied
// from the intent that replaced it.
func BeforeOf(book *Book, j *slurm.Job, e slurm.Edit, now time.Time) bridge.Before {
	b := bridge.Before{
		Eligible: j.Eligible, Begin: j.Eligible, Priority: j.Priority, Nice: j.Nice,
		Required: j.Required, Excluded: j.Excluded, Restarts: j.Restarts, State: j.State, User: j.User,
	}
	field := FieldOf(e.Kind)
	in := book.Standing(j.Run(), field, now)
	if in == nil {
		if field == Priority {
			b.Own = j.Priority
		}
		return b
	}
	switch field {
	case Begin:
		b.Begin = in.Before.Begin
	case Required:
		b.Required = in.Before.Required
	case Excluded:
		b.Excluded = in.Before.Excluded
	case NiceBy:
		b.Ours = j.Nice - in.Before.OwnNice()
	case Priority:
		b.Ours, b.Nice, b.Own = in.Edit.Value, in.Before.Nice, in.Before.Own
	default:
		b.Ours = in.Edit.Value
		if most := book.Most(j.Run(), field, now); most != b.Ours {
			b.Most = most
		}
	}
	return b
}

// NotAfter returns when an edit loses its meaning: a lease at its end, the
// rest never by itself. Of a warning, outcome knows.
func NotAfter(e slurm.Edit) time.Time {
	if e.Kind == slurm.Lease {
		return e.Until
	}
	return time.Time{}
}
