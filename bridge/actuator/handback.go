package actuator

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// A hand-back gives a priority that was set directly back to Slurm's own factors.
var handBackPriorityRow = EditKindRow{
	Kind: slurm.EditHandBackPriority, Field: priorityField, NeededMode: bridge.ModeRank, SendPhase: PhaseOther, TakesTwoCalls: true,
	ShowsEffect: func(in *bridge.Intent, j *slurm.Job) bool {
		return !j.IsHeld && (j.Priority != in.Before.Priority || !in.Before.HeldByUsAt.IsZero())
	},
	Check: func(c *EditContext) *invariant.Denial { // what stands there is ours, which has been seen
		if nice := c.StandingIntent.Before.Nice; c.Value != nice {
			return invariant.OnlyOurValues.Deny("it would set nice %d, its owner's was %d", c.Value, nice)
		}
		return nil
	},
}

// undoPriority gives a direct priority back, and the nice that it wiped.
func undoPriority(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, _ time.Time) bool {
	e.Kind, e.Value = slurm.EditHandBackPriority, in.Before.Nice
	return j.IsPending()
}
