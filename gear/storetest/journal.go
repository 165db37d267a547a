package storetest

import (
	"context"
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

func testIntendedComesBack(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	want := []bridge.Intent{NewLeaseIntent(1, epoch), NewLeaseIntent(2, epoch)}
	want[1].Edit = slurm.Edit{Run: slurm.Run{Job: 2, Submit: 5, Restarts: 3}, Kind: slurm.EditRequireNodes, Nodes: []string{"n1", "n2"}, Tasks: 4, Why: "there is room"}
	want[1].NotAfter = time.Time{}
	told := NewLeaseIntent(3, epoch)
	told.Edit = slurm.Edit{Run: slurm.Run{Job: 3, Submit: 5}, Kind: slurm.EditAdminComment, Text: "fairbridge 2 Mar 12:00 UTC: waits", Tasks: 1, Why: "its owner is to see why"}
	told.NotAfter = time.Time{}
	want = append(want, told)
	out, err := s.StoreIntents(t.Context(), NewCycle(7, epoch, "d"), want)
	failOnError(t, err)
	read := s.listIntents(t)
	if diff := cmp.Diff(out, read); diff != "" {
		t.Errorf("returned and read differ:\n%s", diff)
	}
	for i := range want {
		want[i].ID, want[i].Cycle = read[i].ID, 7
	}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("given and read differ:\n%s", diff)
	}
	read[0].State = bridge.IntentFailed
	if s.listIntents(t)[0].State != bridge.IntentPlanned {
		t.Error("what is done to intents that were read changes the ledger")
	}
}

func testIntendingTwice(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	intents := []bridge.Intent{NewLeaseIntent(1, epoch), NewLeaseIntent(2, epoch)}
	first, err := s.StoreIntents(t.Context(), NewCycle(1, epoch, "d"), intents)
	failOnError(t, err)
	second, err := s.StoreIntents(t.Context(), NewCycle(1, epoch, "d"), intents)
	failOnError(t, err)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second time gave:\n%s", diff)
	}
	planned := NewCycle(1, epoch, "d")
	planned.Plan.Decisions = []policy.Decision{{Job: 1, Verb: policy.Wait, Rank: 1, GPUs: 1, Why: "w"}}
	for name, other := range map[string]*bridge.Cycle{"another snapshot": NewCycle(1, epoch, "e"), "another plan": planned} {
		if _, err := s.StoreIntents(t.Context(), other, intents); !errors.Is(err, bridge.ErrConflict) {
			t.Errorf("%s under the same number: %v, want ErrConflict", name, err)
		}
	}
	if _, err := s.StoreIntents(t.Context(), NewCycle(1, epoch, "d"), intents[:1]); !errors.Is(err, bridge.ErrConflict) {
		t.Errorf("fewer intents under the same number: %v, want ErrConflict", err)
	}
	if diff := cmp.Diff(first, s.listIntents(t)); diff != "" {
		t.Errorf("the ledger changed:\n%s", diff)
	}
}

func testAllOrNothing(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	first, err := s.StoreIntents(t.Context(), NewCycle(1, epoch, "d"), []bridge.Intent{NewLeaseIntent(1, epoch)})
	failOnError(t, err)
	for name, list := range map[string][]bridge.Intent{
		"a second open intent for a field": {NewLeaseIntent(2, epoch), NewLeaseIntent(1, epoch)}, "two intents for a field": {NewLeaseIntent(3, epoch), NewLeaseIntent(3, epoch)},
	} {
		if _, err := s.StoreIntents(t.Context(), NewCycle(2, epoch, "d"), list); !errors.Is(err, bridge.ErrConflict) || !strings.Contains(err.Error(), "still open") {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	if n := len(s.listIntents(t)); n != 1 {
		t.Errorf("%d intents are stored, want 1", n)
	}
	if m, err := s.Memo(t.Context(), ClusterName, &bridge.Partition{Name: "gpu"}); m.CycleSeq != 1 || err != nil {
		t.Errorf("the last cycle is %d, %v; want 1", m.CycleSeq, err)
	}
	first[0].State = bridge.IntentVoid
	failOnError(t, s.UpdateIntent(t.Context(), first[0]))
	_, err = s.StoreIntents(t.Context(), NewCycle(2, epoch, "d"), []bridge.Intent{NewLeaseIntent(1, epoch)})
	failOnError(t, err) // the field is free again
}

func testReleaseHasNoCycle(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	if out, err := s.StoreIntents(t.Context(), nil, nil); len(out) != 0 || err != nil {
		t.Errorf("nothing at all: %v %v", out, err)
	}
	mixed := []bridge.Intent{NewLeaseIntent(1, epoch), NewLeaseIntent(2, epoch-1)}
	if _, err := s.StoreIntents(t.Context(), nil, mixed); err == nil || len(s.listIntents(t)) > 0 {
		t.Errorf("intents of two epochs: %v, %d stored", err, len(s.listIntents(t)))
	}
	if out := s.intendWithoutCycle(t, NewLeaseIntent(1, epoch)); out[0].Cycle != 0 || out[0].ID == 0 {
		t.Errorf("%+v", out)
	}
	if m, err := s.Memo(t.Context(), ClusterName, &bridge.Partition{Name: "gpu"}); m.CycleSeq != 0 || err != nil {
		t.Errorf("it left cycle %d, %v", m.CycleSeq, err)
	}
}

func testMemoComesBack(t *testing.T, s StoreWithClock) {
	m, err := s.Memo(t.Context(), ClusterName, &bridge.Partition{Name: "gpu"})
	if m.Bytes != nil || m.CycleSeq != 0 || err != nil {
		t.Errorf("before the first cycle: %+v %v", m, err)
	}
	c := NewCycle(3, s.becomeLeader(t, "a"), "d")
	_, err = s.StoreIntents(t.Context(), c, nil)
	failOnError(t, err)
	own := bridge.Partition{Name: "gpu", Policy: c.Policy, Params: c.Params}
	m, err = s.Memo(t.Context(), ClusterName, &own)
	failOnError(t, err)
	if !policy.MemoFromJSON(m.Bytes).Equal(c.Plan.Memo) || m.CycleSeq != 3 {
		t.Errorf("got %+v, want %v of cycle 3 of %s %s", m, c.Plan.Memo, c.Policy, c.Params)
	}
	other := NewCycle(4, c.Epoch, "d")
	other.Params, other.Plan.Memo = c.Params+" a=1", policy.Memo{}
	_, err = s.StoreIntents(t.Context(), other, nil)
	failOnError(t, err)
	if m, err = s.Memo(t.Context(), ClusterName, &own); err != nil || !policy.MemoFromJSON(m.Bytes).Equal(c.Plan.Memo) || m.CycleSeq != 4 {
		t.Errorf("after a cycle of another policy: %+v, %v", m, err)
	}
	if m, err = s.Memo(t.Context(), ClusterName, &bridge.Partition{Name: "gpu", Policy: other.Policy, Params: "a=2"}); err != nil || m.Bytes != nil || m.CycleSeq != 4 {
		t.Errorf("of a policy that never decided: %+v, %v", m, err)
	}
	if m, err := s.Memo(t.Context(), ClusterName, &bridge.Partition{Name: "other"}); m.CycleSeq != 0 || err != nil {
		t.Errorf("another partition: cycle %d, %v", m.CycleSeq, err)
	}
}

func testNoIntentGoesBack(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	for _, c := range []struct {
		path []bridge.IntentState
		ok   bool // of the last step
	}{
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentAcked, bridge.IntentObserved, bridge.IntentExpired}, true},
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentUnknown, bridge.IntentObserved, bridge.IntentYielded}, true},
		{[]bridge.IntentState{bridge.IntentVoid, bridge.IntentVoid}, true},
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentUnknown, bridge.IntentSent, bridge.IntentAcked}, true},
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentAcked, bridge.IntentSent}, false},
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentSent}, true},
		{[]bridge.IntentState{bridge.IntentVoid, bridge.IntentSent}, false},
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentPlanned}, false},
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentAcked, bridge.IntentObserved, bridge.IntentAcked}, false},
		{[]bridge.IntentState{bridge.IntentSent, bridge.IntentFailed, bridge.IntentObserved}, false},
	} {
		in := s.intendWithoutCycle(t, NewLeaseIntent(1, epoch))[0]
		for i, state := range c.path {
			in.State, in.Sent, in.Polls = state, StartTime.Add(time.Second), i
			err := s.UpdateIntent(t.Context(), in)
			if last := i == len(c.path)-1; (err == nil) != (c.ok || !last) {
				t.Errorf("%v: step %d: %v", c.path, i, err)
			} else if err != nil && !errors.Is(err, bridge.ErrClosedIntent) {
				t.Errorf("%v: %v, want ErrClosed", c.path, err)
			}
		}
		in.State = bridge.IntentExpired // make room for the next
		_ = s.UpdateIntent(t.Context(), in)
	}
	if err := s.UpdateIntent(t.Context(), bridge.Intent{ID: 4711, State: bridge.IntentVoid}); !errors.Is(err, bridge.ErrConflict) {
		t.Errorf("an intent that is not there: %v, want ErrConflict", err)
	}
	for since, want := range map[time.Duration]int{time.Hour: 0, -time.Minute: 10} {
		got, err := s.Intents(t.Context(), ClusterName, StartTime, s.readClock(t).Add(since))
		failOnError(t, err)
		if len(got) != want {
			t.Errorf("%d intents are open or were closed after now %v, want %d", len(got), since, want)
		}
	}
}

func testAdoptedIntentIsKept(t *testing.T, s StoreWithClock) {
	in := s.intendWithoutCycle(t, NewLeaseIntent(1, s.becomeLeader(t, "a")))[0]
	in.State, in.Sent = bridge.IntentSent, StartTime.Add(time.Second)
	failOnError(t, s.UpdateIntent(t.Context(), in))
	job := slurm.Job{ID: 1, SLUID: "s1", State: "PENDING", Submit: StartTime, EligibleTime: in.Edit.Until.Add(2 * time.Second)}
	settled := ledger.SettleIntents([]bridge.Intent{in}, NewView(StartTime.Add(time.Minute), job), StartTime.Add(time.Minute))
	if len(settled) != 1 || settled[0].State != bridge.IntentObserved {
		t.Fatalf("settle: %+v", settled)
	}
	failOnError(t, s.UpdateIntent(t.Context(), settled[0]))
	if diff := cmp.Diff(settled, s.listIntents(t)); diff != "" {
		t.Errorf("settled and read differ:\n%s", diff)
	}
}

func testBeforeIsReadBeforeSending(t *testing.T, s StoreWithClock) {
	in := s.intendWithoutCycle(t, NewLeaseIntent(1, s.becomeLeader(t, "a")))[0]
	for _, step := range []struct {
		state    bridge.IntentState
		priority int64
	}{{bridge.IntentSent, 30}, {bridge.IntentAcked, 40}, {bridge.IntentObserved, 50}, {bridge.IntentExpired, 60}} {
		in.State, in.Before.Priority = step.state, step.priority
		failOnError(t, s.UpdateIntent(t.Context(), in))
	}
	if got := s.listIntents(t)[0].Before.Priority; got != 40 {
		t.Errorf("the priority before is %d, want 40: the last while it was open", got)
	}
}

func testClosedIntentsByTime(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	list := s.intendWithoutCycle(t, NewLeaseIntent(1, epoch), NewLeaseIntent(2, epoch), NewLeaseIntent(3, epoch))
	for i := range 2 {
		list[i].State, list[i].Closed = bridge.IntentVoid, AtSecond(10+i)
		failOnError(t, s.UpdateIntent(t.Context(), list[i]))
	}
	for since, want := range map[int][]int64{9: {1, 2, 3}, 10: {2, 3}, 11: {3}, 99: {3}, 0: {1, 2, 3}} {
		got, err := s.Intents(t.Context(), ClusterName, AtSecond(100), AtSecond(since))
		failOnError(t, err)
		var jobs []int64
		for _, in := range got {
			jobs = append(jobs, in.Edit.Run.Job)
		}
		if !cmp.Equal(jobs, want) {
			t.Errorf("open, or closed after second %d: jobs %v, want %v", since, jobs, want)
		}
	}
}

func testCancelledCalls(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.StoreIntents(ctx, NewCycle(1, epoch, "d"), []bridge.Intent{NewLeaseIntent(1, epoch)})
	if !errors.Is(err, context.Canceled) || len(s.listIntents(t)) > 0 {
		t.Errorf("intending: %v, %d intents stored", err, len(s.listIntents(t)))
	}
	if err := s.RecordView(ctx, NewView(AtSecond(60), NewRunningJob(1, StartTime, AtSecond(10)))); !errors.Is(err, context.Canceled) {
		t.Errorf("recording: %v", err)
	}
}
