package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// HighestPossibleValue returns the highest number of ours that may stand in the job's field, 0
// where none does. It is more than the value of the standing intent where that is
// a site factor, which no record shows, and had no answer: then what stood before
// may stand still, and after an answer was lost to what gave it back nothing may.
func (b *IntentBook) HighestPossibleValue(run slurm.Run, f slurm.Field, now time.Time) int64 {
	in := b.StandingIntent(run, f, now)
	if in == nil {
		return 0
	}
	most := highestPossibleValue(in)
	if b.unansweredUndoIDByField[slurm.JobField{Job: run.Job, Field: f}] > in.ID {
		most = max(most, 0)
	}
	return most
}

// highestPossibleValue is the highest of the values one of which stands.
func highestPossibleValue(in *bridge.Intent) int64 {
	switch {
	case !isValueUncertain(in):
		return in.Edit.Value
	case in.Before.OurHighestValue != 0:
		return max(in.Edit.Value, in.Before.OurValue, in.Before.OurHighestValue)
	}
	return max(in.Edit.Value, in.Before.OurValue)
}

// isValueUncertain reports whether no answer came to a number that no record shows, and no
// priority told whether it was taken.
func isValueUncertain(in *bridge.Intent) bool {
	return !actuator.IsFieldShown(in.Edit.Kind.Field()) && in.State == bridge.IntentObserved && in.Error != "" && in.Polls < maxMissedPolls
}

// mayHaveUndone reports whether the intent was to give its field back and its
// answer was waited for in vain.
func mayHaveUndone(in *bridge.Intent) bool {
	return in.State == bridge.IntentFailed && actuator.LeavesNoValue(in) && !in.Sent.IsZero() && in.Polls < maxMissedPolls && in.Closed.Sub(in.Sent) > maxUnansweredTime
}
