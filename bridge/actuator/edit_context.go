package actuator

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// EditContext is an edit that is to be sent, or may be, with all that its bounds are read from.
type EditContext struct {
	slurm.Edit
	EditKindRow    *EditKindRow
	SlurmJob       *slurm.Job
	SnapshotJob    *policy.Job // as the snapshot has it; nil only of what gives back
	Snapshot       *policy.Snapshot
	StandingIntent *bridge.Intent // our value in the field; nil: none
	GivesBack      bool           // it gives a value of ours back

	Now            time.Time // Slurm's clock
	Budgets        *bridge.Budgets
	View           *slurm.View
	IntentBook     IntentBook
	Partition      string
	HasExpiryTimer bool          // something outside the daemon takes node lists back if the daemon dies
	LeasedTime     time.Duration // how long the job was leased altogether
	DependantCount int           // jobs that wait for the job, or for the array it is of

	// EditsBefore are those of the cycle that are let through already, EditsElsewhere those of other partitions. OpenIntent returns
	// the intent of a job's field whose outcome is not known, nil without one; nil: that is not looked at.
	EditsBefore, EditsElsewhere []slurm.Edit
	OpenIntent                  func(job int64, f slurm.Field) *bridge.Intent
}

// CheckKindRules says why the edit breaks a rule of its kind.
func (c *EditContext) CheckKindRules() *invariant.Denial {
	if c.EditKindRow.Check == nil {
		return nil
	}
	return c.EditKindRow.Check(c)
}

// SendPhase returns when the edit is sent.
func (c *EditContext) SendPhase() SendPhase {
	switch {
	case c.EditKindRow.OnlyTells:
		return PhaseTell
	case c.GivesBack:
		return PhaseGiveBack
	case c.EditKindRow.SendPhase == PhaseLease && c.StandingIntent != nil:
		return PhaseRenewLease
	}
	return c.EditKindRow.SendPhase
}

// checkValue says why the edit's value is out of bounds (I2).
func (c *EditContext) checkValue() *invariant.Denial {
	switch f, _ := c.Kind.Form(); {
	case c.Value >= f.MinValue && c.Value <= f.MaxValue:
		return nil
	case f.MinValue == -f.MaxValue:
		return invariant.OneFieldPerEdit.Deny("%s %d is beyond %d", f.ValueName, c.Value, f.MaxValue)
	default:
		return invariant.OneFieldPerEdit.Deny("%s %d is not between %d and %d", f.ValueName, c.Value, f.MinValue, f.MaxValue)
	}
}
