package slurmrun

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/push"
)

// forgetInterval is the time between two looks for intents that can be forgotten.
const forgetInterval = 10 * time.Minute

// forgetIntents drops the closed intents that can change nothing any more, now and then.
func (r *runner) forgetIntents() {
	if now := r.world.Now(); now.Sub(r.lastForgetTime) >= forgetInterval {
		r.lastForgetTime = now
		r.store.ForgetClosed(r.canForgetIntent)
	}
}

// canForgetIntent reports whether a closed intent can change nothing any more. Slurm was started
// before those that were sent later than at the very beginning.
func (r *runner) canForgetIntent(in *bridge.Intent) bool {
	now := r.world.Now()
	if now.Sub(in.Closed) >= push.MaxClosedIntentAge {
		return true
	}
	return !r.RunsEveryCycle && in.LastTouched().Sub(r.workloadStart) > time.Second &&
		cycle.CanForgetIntent(in, &r.LoopConfig, r.world.HasEnded(in.Edit.Run.Job), now)
}
