package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
)

// What the gate turned down of a job is told once: not where its decision says it already.
func TestLastCycleSaysWhatWasNotSent(t *testing.T) {
	cooldown := bridge.Refusal{Job: 7, Invariant: invariant.EditBudget, Why: "site_factor: the field was written 3s ago, the least is 20s"}
	c := &lastCycle{StoredCycle: &journal.StoredCycle{Mode: bridge.ModeRank, Refusals: []bridge.Refusal{
		cooldown, {Job: 7, Invariant: invariant.MinimumRun, Why: "it ran 5s"}, {Job: 8, Why: "of another"}, {Why: "STOP exists"},
	}}}
	if d := cmp.Diff([]bridge.Refusal{cooldown}, c.refusalsOf(7, "runs on: it ran 5s")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"STOP exists"}, c.withheldReasons()); d != "" {
		t.Error(d)
	}
	c.Mode = bridge.ModeObserve
	if d := cmp.Diff([]string{"mode observe sends nothing", "STOP exists"}, c.withheldReasons()); d != "" {
		t.Error(d)
	}
	if got, want := refusalText(cooldown), cooldown.Why+". "+invariant.EditBudget.Text(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
