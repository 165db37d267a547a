package cycle

import (
	"errors"
	"log/slog"
	"strings"
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

// TestADoubtLastsUntilItIsSeenToBeOver: a cycle that ends early tells nothing of what it did not look at.
func TestADoubtLastsUntilItIsSeenToBeOver(t *testing.T) {
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	const poll, view = bridge.CauseFailedPoll, bridge.CauseUnbelievedView
	doubt := func(c bridge.Cause) []bridge.Doubt { return []bridge.Doubt{{Cause: c, Err: errors.New("x")}} }
	var state LoggedState
	for i, step := range []struct {
		r    Report
		want string // causes told of
	}{
		{Report{Doubts: doubt(bridge.CauseHistory)}, "in doubt history"}, // the pause after a restore
		{Report{Doubts: doubt(poll), endedBy: poll}, "in doubt slurm"},
		{Report{Doubts: doubt(view), endedBy: view}, "in doubt view, over slurm"},
		{Report{Doubts: doubt(bridge.CauseHistory)}, "over view"},
		{Report{}, "over history"},
	} {
		text.Reset()
		state = logChanges(log, state, &step.r)
		var got []string
		for line := range strings.Lines(text.String()) {
			_, cause, _ := strings.Cut(strings.TrimSpace(line), "cause=")
			cause, _, _ = strings.Cut(cause, " ")
			if strings.Contains(line, "it is over") {
				got = append(got, "over "+cause)
			} else {
				got = append(got, "in doubt "+cause)
			}
		}
		if strings.Join(got, ", ") != step.want {
			t.Errorf("cycle %d: %v, want %s", i, got, step.want)
		}
	}
}
