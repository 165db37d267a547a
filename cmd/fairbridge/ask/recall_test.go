package ask

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestExplainMeasuresRecalls: from when it was decided, warning included, to the end of that very run.
func TestExplainMeasuresRecalls(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)
	change := func(restarts int, ago time.Duration, recall time.Duration, sent bool, beneficiary int64) bridge.Intent {
		in := bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditRequeue, Run: slurm.Run{Job: 7, Restarts: restarts}}, Made: now.Add(-ago)}
		in.Before.Stop = &bridge.StopCost{Recall: recall, Beneficiary: beneficiary}
		if sent {
			in.Sent = in.Made
		}
		return in
	}
	runs := []journal.JobRun{{Restarts: 0, End: now.Add(-time.Hour)}, {Restarts: 1, End: now.Add(-10 * time.Minute)}, {Restarts: 2}}
	for name, c := range map[string]struct {
		intents []bridge.Intent
		want    string
	}{
		"never":            {nil, ""},
		"an ordinary stop": {[]bridge.Intent{change(1, 11*time.Minute, 0, true, 9)}, ""},
		"not sent":         {[]bridge.Intent{change(1, 11*time.Minute, 5*time.Minute, false, 9)}, ""},
		"left in time":     {[]bridge.Intent{change(1, 11*time.Minute, 5*time.Minute, true, 9)}, "was called back for job 9, within 5m: it had left after 1m."},
		"warned before": {[]bridge.Intent{change(1, 11*time.Minute, 5*time.Minute, true, 0), change(1, 13*time.Minute, 5*time.Minute, true, 0), change(0, 61*time.Minute, 5*time.Minute, true, 3)},
			"was called back for another job, within 5m: it had left after 3m."},
		"has not left": {[]bridge.Intent{change(2, 2*time.Minute, 5*time.Minute, true, 9)}, "it has not left yet, 2m later."},
	} {
		got := recallText(&api.Job{JobHistory: &journal.JobHistory{Runs: runs, Intents: c.intents}}, now)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
