package actuator

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/numbers"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// An order is a number in one of three fields: the site factor, nice, or the
// priority itself.
var (
	siteFactorRow = Row{
		Kind: slurm.SiteFactor, Field: siteField, Needs: bridge.Rank, Turn: TurnOrder, Repeatable: true, Offset: true,
		Shows: priorityFollowed, Wants: siteLever.wantOrder, Bounds: siteBounds,
		Undo: func(*slurm.Edit, *bridge.Intent, *slurm.Job, time.Time) bool { return true },
	}
	niceRow = Row{
		Kind: slurm.Nice, Field: niceField, Needs: bridge.Rank, Turn: TurnOrder, Repeatable: true, Offset: true,
		Wants: niceLever.wantOrder, Bounds: niceBounds,
		Shows: func(in *bridge.Intent, j *slurm.Job) bool {
			if whose := niceOwner(in, j); whose != Hidden {
				return whose == Ours
			}
			return priorityFollowed(in, j)
		},
		Overruled: func(*bridge.Intent, *slurm.Job) bool { return true },
		Undo: func(e *slurm.Edit, in *bridge.Intent, _ *slurm.Job, _ time.Time) bool {
			e.Value = in.Before.OwnNice()
			return true
		},
	}
	priorityRow = Row{
		Kind: slurm.Priority, Field: priorityField, Needs: bridge.Rank, Turn: TurnOrder, Repeatable: true,
		Shows: showsValue(priorityField), Undo: undoPriority, Wants: priorityLever.wantOrder, Bounds: priorityBounds,
	}
)

// siteField is the site factor. No release shows it, and only Operators can write one:
// it is ours as long as the job lives, whatever becomes of its nice or priority.
var siteField = &Field{
	Name:      slurm.FieldSite,
	GivesBack: func(e *slurm.Edit, _ *bridge.Before) bool { return e.Value == 0 },
	Note: func(b *bridge.Before, in *bridge.Intent, most int64) {
		if in == nil {
			return
		}
		if b.OurValue = in.Edit.Value; most != b.OurValue {
			b.OurHighest = most
		}
	},
	Outlives: ForLong,
}

// niceField is nice, in which an order of ours is added to the owner's.
var niceField = &Field{
	Name:  slurm.FieldNice,
	Whose: niceOwner,
	Foreign: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("nice is now %d, we had set %d", j.Nice, in.Edit.Value)
	},
	GivesBack: func(e *slurm.Edit, own *bridge.Before) bool { return own != nil && e.Value == own.OwnNice() },
	Unread: func(j *slurm.Job) string {
		if j.NiceKnown {
			return ""
		}
		return "its nice cannot be read, and would be lost"
	},
	// A release that shows a nice only above 0 shows others right before a write: one
	// below 0 is an administrator's.
	Touched: func(noted *bridge.Before, j *slurm.Job) string {
		if j.Nice == noted.Nice {
			return ""
		}
		return fmt.Sprintf("its nice is %d, set by somebody", j.Nice)
	},
	Note: func(b *bridge.Before, in *bridge.Intent, _ int64) {
		if in != nil {
			b.OurValue = b.Nice - in.Before.OwnNice()
		}
	},
	Outlives: ForLong,
}

// niceOwner knows that old releases show a nice only above 0.
func niceOwner(in *bridge.Intent, j *slurm.Job) Owner {
	switch {
	case j.NiceKnown:
		return oursIf(j.Nice == in.Edit.Value)
	case in.Edit.Value > 0:
		return Theirs
	}
	return Hidden
}

// priorityField is the priority itself. It drifts as long as it is not set.
var priorityField = &Field{
	Name:  slurm.FieldPriority,
	Whose: func(in *bridge.Intent, j *slurm.Job) Owner { return oursIf(j.Priority == in.Edit.Value) },
	Foreign: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("priority is now %d, we had set %d", j.Priority, in.Edit.Value)
	},
	GivesBack: func(e *slurm.Edit, _ *bridge.Before) bool { return e.Kind == slurm.HandBack },
	Note: func(b *bridge.Before, in *bridge.Intent, _ int64) {
		if b.SlurmPriority = b.Priority; in != nil {
			b.OurValue, b.Nice, b.SlurmPriority = in.Edit.Value, in.Before.Nice, in.Before.SlurmPriority
		}
	},
	Outlives: ForLong,
}

// driftShare is the part of a priority that Slurm's own factors may plausibly
// move it by within a few minutes: one part in so many.
const driftShare = 64

// priorityFollowed judges a value that the record does not show by the priority it moved.
// Age and fair share move too, so half the wanted step is enough; a step that
// their drift can hide is believed when Slurm said yes. A priority that did not
// move at all was set directly by somebody: it follows nothing. A held job
// shows nothing.
func priorityFollowed(in *bridge.Intent, j *slurm.Job) bool {
	if j.Held || !j.Pending() {
		return true
	}
	want, got := expectedChange(in), j.Priority-in.Before.Priority
	drift := in.Before.Priority/driftShare + 1
	switch {
	case got == want || want < 0 && j.Priority <= 1:
		return true
	case got == 0:
		return false
	case want > -2*drift && want < 2*drift:
		return in.State == bridge.Acked
	case want < 0:
		return got <= want/2
	}
	return got >= want/2
}

// expectedChange is by how much the intent was to move the job's priority.
func expectedChange(in *bridge.Intent) int64 {
	if in.Edit.Kind == slurm.Nice {
		return in.Before.Nice - in.Edit.Value
	}
	return in.Edit.Value - in.Before.OurValue
}

// siteBounds checks a site factor (I2, I16).
func siteBounds(c *Claim) *invariant.Denial {
	if d := c.checkValue(); d != nil || c.GivesBack {
		return d
	}
	ours := int64(0)
	if c.Standing != nil {
		ours = c.Standing.Edit.Value
	}
	if then := c.Job.Priority + c.Value - ours; c.Value > ours && then > slurm.MaxPriority || c.Value < ours && then < numbers.Lowest {
		return invariant.OneField.Deny("the priority would be %d, not between %d and %d", then, numbers.Lowest, slurm.MaxPriority)
	}
	return c.checkLowering(c.Value < c.Book.HighestValue(c.Job.Run(), slurm.FieldSite, c.Now))
}

// niceBounds checks a nice (I2, I3, I16).
func niceBounds(c *Claim) *invariant.Denial {
	if !c.Job.NiceKnown && !c.View.NiceRead {
		return invariant.OnlyOurs.Deny("the owner's nice cannot be read here, and would be lost")
	}
	if d := c.checkValue(); d != nil {
		return d
	}
	return c.checkLowering(c.Value > c.Job.Nice)
}

// priorityBounds checks a direct priority (I2, I16).
func priorityBounds(c *Claim) *invariant.Denial {
	if d := c.checkValue(); d != nil {
		return d
	}
	return c.checkLowering(c.Value < c.Job.Priority)
}

// checkLowering keeps jobs that waited very long from losing places. Giving Slurm's
// own order back is not lowering.
func (c *Claim) checkLowering(down bool) *invariant.Denial {
	if !down || c.GivesBack {
		return nil
	}
	if waited := c.Planned.Waited(c.Now); waited > c.Budgets.MaxPending {
		return invariant.LongWait.Deny("it has waited %v, longer than %v, and would be lowered", waited.Round(time.Second), c.Budgets.MaxPending)
	}
	return nil
}
