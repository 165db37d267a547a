package replaycommand

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/policy"
)

func TestDifferences(t *testing.T) {
	plan := &policy.Plan{Decisions: []policy.Decision{
		{Job: 1, Verb: policy.Keep}, {Job: 2, Verb: policy.Hold}, {Job: 3, Verb: policy.Hold}, {Job: 4, Verb: policy.Hold},
	}}
	then := []journal.RecordedDecision{{JobID: 1, Verb: policy.Keep}, {JobID: 2, Verb: policy.Start}, {JobID: 4, Verb: policy.Start}}
	got := findDifferences(plan, then, []bridge.Refusal{{Job: 4, Why: "the gate made it wait"}})
	want := []Difference{{JobID: 2, Recorded: &then[1], Replayed: &journal.RecordedDecision{JobID: 2, Verb: policy.Hold}}, {JobID: 3, Recorded: nil, Replayed: &journal.RecordedDecision{JobID: 3, Verb: policy.Hold}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
