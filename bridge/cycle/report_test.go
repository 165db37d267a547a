package cycle

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

func TestTallySaysWhatWasNotSent(t *testing.T) {
	var list []bridge.Intent
	add := func(n int, s bridge.IntentState, sent time.Time) {
		for range n {
			list = append(list, bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditSiteFactor}, State: s, Sent: sent})
		}
	}
	add(3, bridge.IntentFailed, noon)
	add(197, bridge.IntentPlanned, time.Time{})
	list = append(list, bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditLease}, State: bridge.IntentAcked, Sent: noon})
	if got, want := formatIntentCounts(list), "site_factor 200 (3 failed, 197 not sent), lease 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
