package accounting

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

func TestIntendGivesBackWhatItStored(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := lead(t, d, "a")
	want := []bridge.Intent{leaseOf(1, epoch), leaseOf(2, epoch)}
	want[1].Edit = slurm.Edit{Run: slurm.Run{Job: 2, Submit: 5, Restarts: 3}, Kind: slurm.Require, Nodes: []string{"n1", "n2"}, Tasks: 4, Why: "there \x00 is room\xff"}
	want[1].NotAfter = time.Time{}
	out, err := d.Intend(ctx, cycleOf(7, epoch, 3), want)
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
	epoch := lead(t, d, "a")
	c, intents := cycleOf(1, epoch, 50), []bridge.Intent{leaseOf(1, epoch), leaseOf(2, epoch)}
	first, err := d.Intend(ctx, c, intents)
	must(t, err)
	state := func() string {
		s := ""
		for _, table := range []string{"cycles", "decisions", "decision_now", "intents"} {
			s += table + "\n" + dump(t, d, table, "") + "\n"
		}
		return s
	}
	was := state()
	second, err := d.Intend(ctx, c, intents)
	must(t, err)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second time gave:\n%s", diff)
	}
	if diff := cmp.Diff(was, state()); diff != "" {
		t.Errorf("the second time changed rows:\n%s", diff)
	}
	other := cycleOf(1, epoch, 51)
	if _, err := d.Intend(ctx, other, nil); !errors.Is(err, ErrConflict) {
		t.Errorf("another cycle under the same number: %v, want ErrConflict", err)
	}
	if diff := cmp.Diff(was, state()); diff != "" {
		t.Errorf("a refused cycle changed rows:\n%s", diff)
	}
}

func TestIntendIsAllOrNothing(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := lead(t, d, "a")
	_, err := d.Intend(ctx, cycleOf(1, epoch, 1), []bridge.Intent{leaseOf(1, epoch)})
	must(t, err)
	_, err = d.Intend(ctx, cycleOf(2, epoch, 1), []bridge.Intent{leaseOf(2, epoch), leaseOf(1, epoch)})
	if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "still open") {
		t.Errorf("a second open intent for a field: %v", err)
	}
	if n := count(t, d, "select 1 from fairbridge.intents"); n != 1 {
		t.Errorf("%d intents are stored, want 1", n)
	}
	if m, err := d.Memo(ctx, testCluster, "gpu"); m.Seq != 1 || err != nil {
		t.Errorf("last cycle is %d, %v; want 1", m.Seq, err)
	}
}

func TestMemoComesBack(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	m, err := d.Memo(ctx, testCluster, "gpu")
	if m.Bytes != nil || m.Seq != 0 || err != nil {
		t.Errorf("before the first cycle: %+v %v", m, err)
	}
	c := cycleOf(3, lead(t, d, "a"), 1)
	_, err = d.Intend(ctx, c, nil)
	must(t, err)
	m, err = d.Memo(ctx, testCluster, "gpu")
	must(t, err)
	if !policy.MemoOf(m.Bytes).Equal(c.Plan.Memo) || m.Seq != 3 || m.Policy != c.Policy || m.Params != c.Params {
		t.Errorf("got %+v, want %q of cycle 3 of %s %s", m, c.Plan.Memo, c.Policy, c.Params)
	}
}

func TestMarkNeverGoesBack(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := lead(t, d, "a")
	for _, c := range []struct {
		path []bridge.State
		ok   bool // of the last step
	}{
		{[]bridge.State{bridge.Sent, bridge.Acked, bridge.Observed, bridge.Expired}, true},
		{[]bridge.State{bridge.Sent, bridge.Unknown, bridge.Observed, bridge.Yielded}, true},
		{[]bridge.State{bridge.Void, bridge.Void}, true},
		{[]bridge.State{bridge.Sent, bridge.Unknown, bridge.Sent, bridge.Acked}, true},
		{[]bridge.State{bridge.Sent, bridge.Acked, bridge.Sent}, false},
		{[]bridge.State{bridge.Sent, bridge.Sent}, true},
		{[]bridge.State{bridge.Void, bridge.Sent}, false},
		{[]bridge.State{bridge.Sent, bridge.Planned}, false},
		{[]bridge.State{bridge.Sent, bridge.Acked, bridge.Observed, bridge.Acked}, false},
		{[]bridge.State{bridge.Sent, bridge.Failed, bridge.Observed}, false},
	} {
		out, err := d.Intend(ctx, nil, []bridge.Intent{leaseOf(1, epoch)})
		must(t, err)
		in := out[0]
		for i, s := range c.path {
			in.State, in.Sent, in.Polls = s, t0.Add(time.Second), i
			err := d.Mark(ctx, in)
			if last := i == len(c.path)-1; (err == nil) != (c.ok || !last) {
				t.Errorf("%v: step %d: %v", c.path, i, err)
			} else if err != nil && !errors.Is(err, ErrClosed) {
				t.Errorf("%v: %v, want ErrClosed", c.path, err)
			}
		}
		in.State = bridge.Expired // make room for the next
		_ = d.Mark(ctx, in)
	}
	if open, err := d.Intents(ctx, testCluster, t0, time.Now().Add(time.Hour)); len(open) != 0 || err != nil {
		t.Errorf("%d intents not closed, %v", len(open), err)
	}
	closed, err := d.Intents(ctx, testCluster, t0, time.Now().Add(-time.Minute))
	must(t, err)
	if len(closed) != 10 {
		t.Errorf("%d were closed in the last minute, want 10", len(closed))
	}
}

// TestSendingAgainIsFenced: an edit without an answer may be sent again only by
// the leader that sent it.
func TestSendingAgainIsFenced(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	out, err := d.Intend(ctx, nil, []bridge.Intent{leaseOf(1, lead(t, d, "a"))})
	must(t, err)
	in := out[0]
	for _, s := range []bridge.State{bridge.Sent, bridge.Unknown} {
		in.State = s
		must(t, d.Mark(ctx, in))
	}
	must(t, d.Resign(ctx, testCluster, "a"))
	lead(t, d, "b")
	in.State = bridge.Sent
	if err := d.Mark(ctx, in); err == nil {
		t.Error("another leads, and it may be sent again")
	}
}

func TestMarkKeepsWhatSettleAdopted(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := lead(t, d, "a")
	out, err := d.Intend(ctx, cycleOf(1, epoch, 1), []bridge.Intent{leaseOf(1, epoch)})
	must(t, err)
	in := out[0]
	in.State, in.Sent = bridge.Sent, t0.Add(time.Second)
	must(t, d.Mark(ctx, in))
	job := slurm.Job{ID: 1, SLUID: "s1", State: "PENDING", Submit: t0, Eligible: in.Edit.Until.Add(2 * time.Second)}
	settled := ledger.Settle([]bridge.Intent{in}, view(t0.Add(time.Minute), job), t0.Add(time.Minute))
	if len(settled) != 1 || settled[0].State != bridge.Observed {
		t.Fatalf("settle: %+v", settled)
	}
	must(t, d.Mark(ctx, settled[0]))
	read, err := d.Intents(ctx, testCluster, t0, t0)
	must(t, err)
	if diff := cmp.Diff(settled, read); diff != "" {
		t.Errorf("settled and read differ:\n%s", diff)
	}
}

// Only a change of substance makes history; what is shown now is always the
// last plan.
func TestDecisionsKeepChanges(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := lead(t, d, "a")
	plan := func(seq uint64, list ...policy.Decision) *bridge.Cycle {
		c := cycleOf(seq, epoch, 0)
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
		_, err := d.Intend(ctx, c, nil)
		must(t, err)
		if got := count(t, d, "select 1 from fairbridge.decision_now"); got != len(c.Plan.Decisions) {
			t.Errorf("after cycle %d there are %d decisions, want %d", i+1, got, len(c.Plan.Decisions))
		}
		if i == 1 && count(t, d, "select 1 from fairbridge.decision_now where job = 1 and rank = 1 and why = 'first in line' and seq = 2") != 1 {
			t.Error("the present decision does not show the new rank")
		}
	}
	if got := count(t, d, "select 1 from fairbridge.decisions where job = 1 and seq in (1, 3)"); got != 2 {
		t.Errorf("history of job 1 has %d of its 2 changes", got)
	}
	if got := count(t, d, "select 1 from fairbridge.decisions"); got != 3 {
		t.Errorf("history has %d rows, want 3", got)
	}
}
