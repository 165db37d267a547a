package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestWhenNothingIsTold: a refusal counts for an hour, what passes for minutes, and what had no effect
// when it happened several times. Failures of other kinds say nothing.
func TestWhenNothingIsTold(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	failed := func(kind slurm.EditKind, polls int, ago time.Duration, why error) bridge.Intent {
		return bridge.Intent{State: bridge.IntentFailed, Edit: slurm.Edit{Kind: kind}, Polls: polls, Closed: now.Add(-ago), Error: why.Error()}
	}
	refused := &slurm.Error{Class: slurm.ErrorForbidden, Number: 2002, Text: "Access/permission denied"}
	away := &slurm.Error{Class: slurm.ErrorUnreachable}
	lost := failed(slurm.EditAdminComment, maxMissedPolls, time.Minute, &slurm.Error{Text: "2 polls do not show it"})
	lost.State = bridge.IntentYielded
	for _, c := range []struct {
		name    string
		intents []bridge.Intent
		silent  bool
	}{
		{"nothing failed", nil, false},
		{"an order was refused", []bridge.Intent{failed(slurm.EditNice, 0, time.Minute, refused)}, false},
		{"refused", []bridge.Intent{failed(slurm.EditAdminComment, 0, 59*time.Minute, refused)}, true},
		{"refused an hour ago", []bridge.Intent{failed(slurm.EditAdminComment, 0, time.Hour, refused)}, false},
		{"unreachable", []bridge.Intent{failed(slurm.EditAdminComment, 0, 4*time.Minute, away)}, true},
		{"unreachable minutes ago", []bridge.Intent{failed(slurm.EditAdminComment, 0, 5*time.Minute, away)}, false},
		{"cleared by somebody at once", []bridge.Intent{lost, lost}, false},
		{"without effect", []bridge.Intent{lost, lost, lost}, true},
	} {
		if err := CheckTelling(c.intents, now); (err != nil) != c.silent {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
