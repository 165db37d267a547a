package storetest

import (
	"errors"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

func testLeadershipHandsOver(t *testing.T, s StoreWithClock) {
	first := s.becomeLeader(t, "a")
	if again := s.becomeLeader(t, "a"); again != first {
		t.Errorf("renewing gave epoch %d, want %d", again, first)
	}
	if _, holder, leads, err := s.Lead(t.Context(), ClusterName, "b", time.Minute); leads || holder != "a" || err != nil {
		t.Errorf("b while a leads: holder %q, leader %v, %v", holder, leads, err)
	}
	failOnError(t, s.Resign(t.Context(), ClusterName, "b")) // not b's to give
	if _, _, leads, _ := s.Lead(t.Context(), ClusterName, "b", time.Minute); leads {
		t.Error("b leads after resigning a lease that was a's")
	}
	failOnError(t, s.Resign(t.Context(), ClusterName, "a"))
	if second := s.becomeLeader(t, "b"); second != first+1 {
		t.Errorf("the epoch after a change is %d, want %d", second, first+1)
	}
}

func testLeaseLapses(t *testing.T, s StoreWithClock) {
	if _, err := s.StoreIntents(t.Context(), NewCycle(1, 0, "d"), nil); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("intend while no daemon ever led: %v, want ErrFenced", err)
	}
	first := BecomeLeader(t, s, "a", time.Minute)
	s.AdvanceClock(2 * time.Minute)
	if _, err := s.StoreIntents(t.Context(), NewCycle(1, first, "d"), nil); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("intend under a lapsed lease: %v, want ErrFenced", err)
	}
	if second := s.becomeLeader(t, "a"); second != first+1 {
		t.Errorf("epoch %d, want %d: also for its holder", second, first+1)
	}
}

func testStaleLeader(t *testing.T, s StoreWithClock) {
	epoch := s.becomeLeader(t, "a")
	out, err := s.StoreIntents(t.Context(), NewCycle(1, epoch, "d"), []bridge.Intent{NewLeaseIntent(1, epoch)})
	failOnError(t, err)
	failOnError(t, s.Resign(t.Context(), ClusterName, "a"))
	s.becomeLeader(t, "b")
	in := out[0]
	in.State, in.Sent = bridge.IntentSent, StartTime
	if err := s.UpdateIntent(t.Context(), in); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("marking sent: %v, want ErrFenced", err)
	}
	in.State = bridge.IntentVoid
	failOnError(t, s.UpdateIntent(t.Context(), in)) // the new leader sees that it was never sent
	if _, err := s.StoreIntents(t.Context(), NewCycle(2, epoch, "d"), nil); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("intend: %v, want ErrFenced", err)
	}
	if m, err := s.Memo(t.Context(), ClusterName, &bridge.Partition{Name: "gpu"}); m.CycleSeq != 1 || err != nil {
		t.Errorf("the last cycle is %d, %v: a fenced one was stored", m.CycleSeq, err)
	}
}

// testSendingAgainIsFenced: an edit without an answer may be sent again only by the
// leader that sent it.
func testSendingAgainIsFenced(t *testing.T, s StoreWithClock) {
	in := s.intendWithoutCycle(t, NewLeaseIntent(1, s.becomeLeader(t, "a")))[0]
	for _, state := range []bridge.IntentState{bridge.IntentSent, bridge.IntentUnknown} {
		in.State = state
		failOnError(t, s.UpdateIntent(t.Context(), in))
	}
	failOnError(t, s.Resign(t.Context(), ClusterName, "a"))
	s.becomeLeader(t, "b")
	in.State = bridge.IntentSent
	if err := s.UpdateIntent(t.Context(), in); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("another leads, and it may be sent again: %v, want ErrFenced", err)
	}
}

// recordBeat returns who leads and for how long no daemon has, to the minute.
func (s StoreWithClock) recordBeat(t *testing.T) (string, time.Duration) {
	t.Helper()
	leader, long, err := s.NoteExpirerRun(t.Context(), ClusterName)
	failOnError(t, err)
	return leader, long.Truncate(time.Minute)
}

func testBeatKnowsWhoLed(t *testing.T, s StoreWithClock) {
	later := func() { s.AdvanceClock(10*time.Minute + time.Second) }
	if _, ok, err := s.TimeSinceExpirerRan(t.Context(), ClusterName); ok || err != nil {
		t.Errorf("before the first beat: %v %v", ok, err)
	}
	if who, long := s.recordBeat(t); who != "" || long != 0 {
		t.Errorf("of an empty store %q leads, alone for %v", who, long)
	}
	later()
	if ago, ok, err := s.TimeSinceExpirerRan(t.Context(), ClusterName); !ok || err != nil || ago.Truncate(time.Minute) != 10*time.Minute {
		t.Errorf("the last beat was %v ago: %v %v", ago, ok, err)
	}
	BecomeLeader(t, s, "a", time.Minute)
	if who, long := s.recordBeat(t); who != "a" || long != 0 {
		t.Errorf("while a leads: %q, alone for %v", who, long)
	}
	later()
	if who, long := s.recordBeat(t); who != "" || long < 8*time.Minute || long > 10*time.Minute {
		t.Errorf("nine minutes after its lease: %q, alone for %v", who, long)
	}
	expire := "timer" + push.ExpirerNameSuffix
	BecomeLeader(t, s, expire, time.Minute)
	if who, long := s.recordBeat(t); who != expire || long < 8*time.Minute {
		t.Errorf("its own leadership counts as a daemon's: %q, alone for %v", who, long)
	}
	failOnError(t, s.Resign(t.Context(), ClusterName, expire))
	later()
	if who, long := s.recordBeat(t); who != "" || long < 18*time.Minute {
		t.Errorf("ten minutes later: %q, alone for %v", who, long)
	}
}
