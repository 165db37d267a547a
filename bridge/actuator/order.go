package actuator

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// An order is a number in one of three fields: the site factor, nice, or the
// priority itself.
var (
	siteFactorRow = EditKindRow{
		Kind: slurm.EditSiteFactor, Field: siteFactorField, NeededMode: bridge.ModeRank, SendPhase: PhaseOrder, IsRepeatable: true, AddsToPriority: true,
		WantedEdits: siteFactorLever.wantedOrderEdits, Check: checkSiteFactor,
		ShowsEffect: func(in *bridge.Intent, j *slurm.Job) bool {
			if whose := siteFactorOwner(in, j); whose != OwnerHidden {
				return whose == OwnerUs
			}
			return hasPriorityFollowed(in, j)
		},
		WasOverruled: func(_ *bridge.Intent, j *slurm.Job) bool { return j.IsSiteFactorKnown },
		Undo:         func(*slurm.Edit, *bridge.Intent, *slurm.Job, time.Time) bool { return true },
	}
	niceRow = EditKindRow{
		Kind: slurm.EditNice, Field: niceField, NeededMode: bridge.ModeRank, SendPhase: PhaseOrder, IsRepeatable: true, AddsToPriority: true,
		WantedEdits: niceLever.wantedOrderEdits, Check: checkNice,
		ShowsEffect: func(in *bridge.Intent, j *slurm.Job) bool {
			if whose := niceValueOwner(in, j); whose != OwnerHidden {
				return whose == OwnerUs
			}
			return hasPriorityFollowed(in, j)
		},
		WasOverruled: func(*bridge.Intent, *slurm.Job) bool { return true },
		Undo: func(e *slurm.Edit, in *bridge.Intent, _ *slurm.Job, _ time.Time) bool {
			e.Value = in.Before.OwnNice()
			return true
		},
	}
	priorityRow = EditKindRow{
		Kind: slurm.EditPriority, Field: priorityField, NeededMode: bridge.ModeRank, SendPhase: PhaseOrder, IsRepeatable: true,
		ShowsEffect: func(in *bridge.Intent, j *slurm.Job) bool { return j.Priority == in.Edit.Value }, Undo: undoPriority, WantedEdits: priorityLever.wantedOrderEdits, Check: checkPriority,
	}
)

// siteFactorField is the site factor, which only Operators and plugins can write. No record
// shows it; where sprio does it is ours as long as it is what we wrote, elsewhere as long
// as the job lives, whatever becomes of its nice or priority.
var siteFactorField = &FieldRow{
	Name: slurm.FieldSiteFactor, IsHidden: true,
	ValueOwnerOf: siteFactorOwner,
	ForeignChange: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("site factor is now %d, we had set %d", j.SiteFactor, in.Edit.Value)
	},
	GivesBack: func(e *slurm.Edit, _ *bridge.JobBefore) bool { return e.Value == 0 },
	FillBeforeValues: func(b *bridge.JobBefore, in *bridge.Intent, most int64) {
		if in == nil {
			return
		}
		if b.OurValue = in.Edit.Value; most != b.OurValue {
			b.OurHighestValue = most
		}
	},
	OutliveLimit: OutlivesForLong,
}

// siteFactorOwner knows that only sprio shows a site factor.
func siteFactorOwner(in *bridge.Intent, j *slurm.Job) ValueOwner {
	if !j.IsSiteFactorKnown {
		return OwnerHidden
	}
	return ownerUsIf(j.SiteFactor == in.Edit.Value)
}

// niceField is nice, in which an order of ours is added to the owner's.
var niceField = &FieldRow{
	Name:         slurm.FieldNice,
	ValueOwnerOf: niceValueOwner,
	ForeignChange: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("nice is now %d, we had set %d", j.Nice, in.Edit.Value)
	},
	GivesBack: func(e *slurm.Edit, own *bridge.JobBefore) bool { return own != nil && e.Value == own.OwnNice() },
	UnreadReason: func(j *slurm.Job) string {
		if j.IsNiceKnown {
			return ""
		}
		return "its nice cannot be read, and would be lost"
	},
	// A release that shows a nice only above 0 shows others right before a write: one
	// below 0 is an administrator's.
	ChangeSince: func(noted *bridge.JobBefore, j *slurm.Job) string {
		if j.Nice == noted.Nice {
			return ""
		}
		return fmt.Sprintf("its nice is %d, set by somebody", j.Nice)
	},
	FillBeforeValues: func(b *bridge.JobBefore, in *bridge.Intent, _ int64) {
		if in != nil {
			b.OurValue = b.Nice - in.Before.OwnNice()
		}
	},
	NoteOwnersValue: func(b *bridge.JobBefore, j *slurm.Job) { b.Nice, b.OurValue = j.Nice, 0 },
	OutliveLimit:    OutlivesForLong,
}

// niceValueOwner knows that old releases show a nice only above 0.
func niceValueOwner(in *bridge.Intent, j *slurm.Job) ValueOwner {
	switch {
	case j.IsNiceKnown:
		return ownerUsIf(j.Nice == in.Edit.Value)
	case in.Edit.Value > 0:
		return OwnerOther
	}
	return OwnerHidden
}

// priorityField is the priority itself. It drifts as long as it is not set. Before 26.05.3 backfill may put back
// the one of before, which then stands as fast as ours: nobody chose it, and it is ours to replace or give back.
var priorityField = &FieldRow{
	Name: slurm.FieldPriority,
	ValueOwnerOf: func(in *bridge.Intent, j *slurm.Job) ValueOwner {
		return ownerUsIf(j.Priority == in.Edit.Value || j.Priority == in.Before.Priority && j.Priority > 0)
	},
	ForeignChange: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("priority is now %d, we had set %d", j.Priority, in.Edit.Value)
	},
	GivesBack: func(e *slurm.Edit, _ *bridge.JobBefore) bool { return e.Kind == slurm.EditHandBackPriority },
	FillBeforeValues: func(b *bridge.JobBefore, in *bridge.Intent, _ int64) {
		if b.SlurmPriority = b.Priority; in != nil {
			b.OurValue, b.Nice, b.SlurmPriority = in.Edit.Value, in.Before.Nice, in.Before.SlurmPriority
		}
	},
	OutliveLimit: OutlivesForLong,
}

// priorityDriftDivisor is the part of a priority that Slurm's own factors may plausibly
// move it by within a few minutes: one part in so many.
const priorityDriftDivisor = 64

// hasPriorityFollowed judges a value that the record does not show by the priority it moved.
// Age and fair share move too, so half the wanted step is enough; a step that
// their drift can hide is believed when Slurm said yes. A priority that did not
// move at all was set directly by somebody: it follows nothing. A held job
// shows nothing.
func hasPriorityFollowed(in *bridge.Intent, j *slurm.Job) bool {
	if j.IsHeld || !j.IsPending() {
		return true
	}
	want, got := expectedPriorityChange(in), j.Priority-in.Before.Priority
	drift := in.Before.Priority/priorityDriftDivisor + 1
	switch {
	case got == want || want < 0 && j.Priority <= 1:
		return true
	case got == 0:
		return false
	case want > -2*drift && want < 2*drift:
		return in.State == bridge.IntentAcked
	case want < 0:
		return got <= want/2
	}
	return got >= want/2
}

// expectedPriorityChange is by how much the intent was to move the job's priority.
func expectedPriorityChange(in *bridge.Intent) int64 {
	if in.Edit.Kind == slurm.EditNice {
		return in.Before.Nice - in.Edit.Value
	}
	return in.Edit.Value - in.Before.OurValue
}

// checkSiteFactor checks a site factor (I2, I16).
func checkSiteFactor(c *EditContext) *invariant.Denial {
	if d := c.checkValue(); d != nil || c.GivesBack {
		return d
	}
	ours := int64(0)
	switch {
	case c.StandingIntent != nil:
		ours = c.StandingIntent.Edit.Value
	case c.SlurmJob.IsSiteFactorKnown && c.SlurmJob.SiteFactor != 0:
		return invariant.OnlyOurValues.Deny("its site factor is %d, which something else wrote: it is left to that", c.SlurmJob.SiteFactor)
	}
	if then := c.SlurmJob.Priority + c.Value - ours; c.Value > ours && then > slurm.MaxPriority || c.Value < ours && then < lowestPriority {
		return invariant.OneFieldPerEdit.Deny("the priority would be %d, not between %d and %d", then, lowestPriority, slurm.MaxPriority)
	}
	return c.checkLowering(c.Value < c.IntentBook.HighestPossibleValue(c.SlurmJob.CurrentRun(), slurm.FieldSiteFactor, c.Now))
}

// checkNice checks a nice (I2, I3, I16).
func checkNice(c *EditContext) *invariant.Denial {
	if !c.SlurmJob.IsNiceKnown && !c.View.RereadShowsNice {
		return invariant.OnlyOurValues.Deny("the owner's nice cannot be read here, and would be lost")
	}
	if d := c.checkValue(); d != nil {
		return d
	}
	return c.checkLowering(c.Value > c.SlurmJob.Nice)
}

// checkPriority checks a direct priority (I2, I16).
func checkPriority(c *EditContext) *invariant.Denial {
	if d := c.checkValue(); d != nil {
		return d
	}
	return c.checkLowering(c.Value < c.SlurmJob.Priority)
}

// checkLowering keeps jobs that waited very long from losing places. Giving Slurm's
// own order back is not lowering.
func (c *EditContext) checkLowering(down bool) *invariant.Denial {
	if !down || c.GivesBack {
		return nil
	}
	if waited := c.SnapshotJob.Waited(c.Now); waited > c.Budgets.MaxPending {
		return invariant.LongWait.Deny("it has waited %v, longer than %v, and would be lowered", waited.Round(time.Second), c.Budgets.MaxPending)
	}
	return nil
}
