package actuator_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// TestALeaseThatWasFoundCounts: a lease that stands again, because slurmctld was started with an
// older state, makes its job wait like one that was sent, from when it was found; what was never
// sent and yielded, or never marked, does not.
func TestALeaseThatWasFoundCounts(t *testing.T) {
	start := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	minute := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
	newLease := func(state bridge.IntentState, until int) bridge.Intent {
		return bridge.Intent{Edit: slurm.Edit{Run: slurm.Run{Job: 7}, Kind: slurm.EditLease, Until: minute(until)}, State: state}
	}
	sent, back, found := newLease(bridge.IntentExpired, 10), newLease(bridge.IntentExpired, 2), newLease(bridge.IntentObserved, 10)
	sent.Made, sent.Sent = minute(0), minute(0)
	back.Edit.Kind, back.Made, back.Sent = slurm.EditUnlease, minute(2), minute(2)
	found.Made = minute(4)
	for _, tt := range []struct {
		state bridge.IntentState
		now   int
		want  time.Duration
	}{
		{bridge.IntentObserved, 5, 3 * time.Minute}, {bridge.IntentObserved, 30, 8 * time.Minute}, {bridge.IntentExpired, 30, 8 * time.Minute},
		{bridge.IntentVoid, 30, 2 * time.Minute}, {bridge.IntentPlanned, 30, 2 * time.Minute}, {bridge.IntentYielded, 30, 2 * time.Minute},
	} {
		found.State = tt.state
		if got := actuator.LeasedTimeByJob([]bridge.Intent{sent, back, found}, minute(tt.now))[7]; got != tt.want {
			t.Errorf("%s in minute %d: %v, want %v", tt.state, tt.now, got, tt.want)
		}
	}
}
