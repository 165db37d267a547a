package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// BeforeOfEdit notes what stands in the job before an edit, so that it can be
// given back. Where a value of ours stands already, the owner's own is copied
// from the intent that replaced it.
func BeforeOfEdit(book *IntentBook, j *slurm.Job, e slurm.Edit, now time.Time) bridge.JobBefore {
	b := actuator.BeforeFromJob(j)
	if f := actuator.EditKindRowOf(e.Kind).Field; f.FillBeforeValues != nil {
		f.FillBeforeValues(&b, book.StandingIntent(j.CurrentRun(), f.Name, now), book.HighestPossibleValue(j.CurrentRun(), f.Name, now))
	}
	return b
}

// EditExpiry returns when an edit loses its meaning: a lease at its end, the
// rest never by itself. Of a warning, outcome knows.
func EditExpiry(e slurm.Edit) time.Time {
	if f, _ := e.Kind.Form(); f.NeedsFutureUntil {
		return e.Until
	}
	return time.Time{}
}
