package ledger

import (
	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
)

// HadNoEffect reports whether Slurm said yes to the edit and nothing came of it.
func HadNoEffect(in *bridge.Intent) bool {
	return in.State == bridge.IntentFailed && in.Polls >= maxMissedPolls
}

// MayRepeat reports whether the edit may be sent once more as it is: there was
// no answer, and it writes a value that is the same however often it is written.
func MayRepeat(in *bridge.Intent) bool {
	return in.State == bridge.IntentUnknown && actuator.EditKindRowOf(in.Edit.Kind).IsRepeatable
}

// WasPriorityIgnored reports whether Slurm said yes to the intent's value, which no record
// shows and which may stand, and the job's priority did not follow it.
func WasPriorityIgnored(in *bridge.Intent) bool {
	return in.State == bridge.IntentObserved && in.Error != "" && in.Polls >= maxMissedPolls
}

// WasOrderIgnored reports whether the intent was an order to which Slurm said yes, and the
// job's priority did not follow: somebody had set it directly.
func WasOrderIgnored(in *bridge.Intent) bool {
	return WasPriorityIgnored(in) || in.State == bridge.IntentYielded && actuator.EditKindRowOf(in.Edit.Kind).AddsToPriority && in.Polls >= maxMissedPolls
}
