package lastcycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// What the gate turned down of a job is told once: not where its decision says it already.
func TestLastCycleSaysWhatWasNotSent(t *testing.T) {
	cooldown := bridge.Refusal{Job: 7, Invariant: invariant.EditBudget, Why: "site_factor: the field was written 3s ago, the least is 20s"}
	c := &Cycle{CycleHead: journal.CycleHead{Mode: bridge.ModeRank}, Refusals: []bridge.Refusal{
		cooldown, {Job: 7, Invariant: invariant.MinimumRun, Why: "it ran 5s"}, {Job: 8, Why: "of another"}, {Why: "STOP exists"},
	}}
	if d := cmp.Diff([]bridge.Refusal{cooldown}, c.RefusalsOf(7, "runs on: it ran 5s")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]bridge.Refusal{{Why: "STOP exists"}}, c.WholeRefusals()); d != "" {
		t.Error(d)
	}
	if got := ModeReasons(bridge.ModeRank); got != nil {
		t.Error(got)
	}
	if d := cmp.Diff([]string{"mode observe sends nothing"}, ModeReasons(bridge.ModeObserve)); d != "" {
		t.Error(d)
	}
}

// A job that is held or depends on another is ahead of nobody, though it has a place in line.
func TestHeldJobsAreNotAhead(t *testing.T) {
	s := &policy.Snapshot{Jobs: []policy.Job{
		{ID: 1, State: policy.Pending, HeldReason: "its user holds it"}, {ID: 2, State: policy.Pending},
		{ID: 3, State: policy.Pending, HeldReason: "dependency"}, {ID: 4, State: policy.Pending}, {ID: 5, State: policy.Running},
	}}
	var stored []journal.QueueRow
	for i, state := range []string{"PENDING", "PENDING", "PENDING", "PENDING", "RUNNING"} {
		stored = append(stored, journal.QueueRow{Rank: i + 1, JobID: policy.JobID(i + 1), State: state})
	}
	c := newCycle(&journal.CycleHead{}, nil, s, stored)
	ahead := c.Ahead(4)
	if len(ahead) != 1 || ahead[0].JobID != 2 {
		t.Errorf("ahead of 4: %+v", ahead)
	}
	if len(c.Ahead(2)) != 0 || c.Ahead(5) != nil {
		t.Errorf("ahead of 2: %+v, of one that runs: %+v", c.Ahead(2), c.Ahead(5))
	}
}
