package journal

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/storetest"
	"fairbridge/policy"
)

func TestIntendGivesBackWhatItStored(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	want := []bridge.Intent{leaseOf(1, epoch), leaseOf(2, epoch)}
	want[1].Edit = slurm.Edit{Run: slurm.Run{Job: 2, Submit: 5, Restarts: 3}, Kind: slurm.EditRequireNodes, Nodes: []string{"n1", "n2"}, Tasks: 4, Why: "there \x00 is room\xff"}
	want[1].NotAfter = time.Time{}
	out, err := d.StoreIntents(ctx, storetest.NewCycleOfWaitingJobs(7, epoch, 3), want)
	must(t, err)
	read, err := d.Intents(ctx, testCluster, t0, t0)
	must(t, err)
	if diff := cmp.Diff(out, read); diff != "" {
		t.Errorf("returned and read differ:\n%s", diff)
	}
	for i := range want {
		want[i].ID, want[i].Cycle = read[i].ID, 7
	}
	want[1].Edit.Why = "there  is room\uFFFD"
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("given and read differ:\n%s", diff)
	}
	if other, err := d.Intents(ctx, "other", t0, t0); len(other) != 0 || err != nil {
		t.Errorf("another cluster has %d intents, %v", len(other), err)
	}
}

func TestIntendTwiceIsOnce(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	c, intents := storetest.NewCycleOfWaitingJobs(1, epoch, 50), []bridge.Intent{leaseOf(1, epoch), leaseOf(2, epoch)}
	first, err := d.StoreIntents(ctx, c, intents)
	must(t, err)
	state := func() string {
		s := ""
		for _, table := range []string{"cycles", "decisions", "decision_now", "intents"} {
			s += table + "\n" + dbtest.DumpTable(t, d.DB, table) + "\n"
		}
		return s
	}
	was := state()
	second, err := d.StoreIntents(ctx, c, intents)
	must(t, err)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second time gave:\n%s", diff)
	}
	if diff := cmp.Diff(was, state()); diff != "" {
		t.Errorf("the second time changed rows:\n%s", diff)
	}
	other := storetest.NewCycleOfWaitingJobs(1, epoch, 51)
	if _, err := d.StoreIntents(ctx, other, nil); !errors.Is(err, bridge.ErrConflict) {
		t.Errorf("another cycle under the same number: %v, want ErrConflict", err)
	}
	if diff := cmp.Diff(was, state()); diff != "" {
		t.Errorf("a refused cycle changed rows:\n%s", diff)
	}
}

// Only a change of substance makes history; what is shown now is always the
// last plan.
func TestDecisionsKeepChanges(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	plan := func(seq uint64, list ...policy.Decision) *bridge.Cycle {
		c := storetest.NewCycleOfWaitingJobs(seq, epoch, 0)
		c.Plan.Decisions = list
		return c
	}
	wait := policy.Decision{Job: 1, Verb: policy.Wait, Rank: 2, GPUs: 1, Why: "w"}
	moved := wait
	moved.Rank, moved.Why = 1, "first in line"
	start := moved
	start.Verb, start.On = policy.Start, policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}
	other := policy.Decision{Job: 2, Verb: policy.Keep, Rank: 3, GPUs: 2, Why: "k"}
	for i, c := range []*bridge.Cycle{plan(1, wait, other), plan(2, moved, other), plan(3, start), plan(4)} {
		_, err := d.StoreIntents(ctx, c, nil)
		must(t, err)
		if got := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.decision_now"); got != len(c.Plan.Decisions) {
			t.Errorf("after cycle %d there are %d decisions, want %d", i+1, got, len(c.Plan.Decisions))
		}
		if i == 1 && dbtest.CountRows(t, d.DB, "select 1 from fairbridge.decision_now where job = 1 and rank = 1 and why = 'first in line' and seq = 2") != 1 {
			t.Error("the present decision does not show the new rank")
		}
	}
	if got := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.decisions where job = 1 and seq in (1, 3)"); got != 2 {
		t.Errorf("history of job 1 has %d of its 2 changes", got)
	}
	if got := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.decisions"); got != 3 {
		t.Errorf("history has %d rows, want 3", got)
	}
}
