package cycle

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// CanForgetIntent reports whether no later cycle reads anything of a closed intent: its value
// ended as it was to, longer ago than the breakers look back, and no budget counts it. Begin
// times count until their job has ended: how long it was leased altogether is bounded. It holds
// where slurmctld was not started after the intent was sent, jobs are no arrays, and no view
// shows site factors: so in simulations, which are faster with a short ledger. A daemon keeps
// intents for push.MaxClosedIntentAge.
func CanForgetIntent(in *bridge.Intent, c *bridge.Config, hasJobEnded bool, now time.Time) bool {
	span := max(editMemorySpan, ledger.ContestMemorySpan, 2*c.Budgets.EditCooldown)
	return in.State == bridge.IntentExpired && in.Before.Rewritten == "" && now.Sub(in.Closed) > span && now.Sub(in.LastTouched()) > span &&
		(hasJobEnded || in.Edit.Kind.Field() != slurm.FieldBeginTime) && actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.NoStop
}
