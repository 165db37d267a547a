package storetest

import (
	"errors"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

func handsOver(t *testing.T, s StoreWithClock) {
	first := s.lead(t, "a")
	if again := s.lead(t, "a"); again != first {
		t.Errorf("renewing gave epoch %d, want %d", again, first)
	}
	if _, holder, leads, err := s.Lead(t.Context(), Cluster, "b", time.Minute); leads || holder != "a" || err != nil {
		t.Errorf("b while a leads: holder %q, leader %v, %v", holder, leads, err)
	}
	must(t, s.Resign(t.Context(), Cluster, "b")) // not b's to give
	if _, _, leads, _ := s.Lead(t.Context(), Cluster, "b", time.Minute); leads {
		t.Error("b leads after resigning a lease that was a's")
	}
	must(t, s.Resign(t.Context(), Cluster, "a"))
	if second := s.lead(t, "b"); second != first+1 {
		t.Errorf("the epoch after a change is %d, want %d", second, first+1)
	}
}

func leaseLapses(t *testing.T, s StoreWithClock) {
	if _, err := s.StoreIntents(t.Context(), CycleOf(1, 0, "d"), nil); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("intend while no daemon ever led: %v, want ErrFenced", err)
	}
	first := Lead(t, s, "a", time.Minute)
	s.PassTime(2 * time.Minute)
	if _, err := s.StoreIntents(t.Context(), CycleOf(1, first, "d"), nil); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("intend under a lapsed lease: %v, want ErrFenced", err)
	}
	if second := s.lead(t, "a"); second != first+1 {
		t.Errorf("epoch %d, want %d: also for its holder", second, first+1)
	}
}

func staleLeader(t *testing.T, s StoreWithClock) {
	epoch := s.lead(t, "a")
	out, err := s.StoreIntents(t.Context(), CycleOf(1, epoch, "d"), []bridge.Intent{LeaseOf(1, epoch)})
	must(t, err)
	must(t, s.Resign(t.Context(), Cluster, "a"))
	s.lead(t, "b")
	in := out[0]
	in.State, in.Sent = bridge.IntentSent, Start
	if err := s.UpdateIntent(t.Context(), in); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("marking sent: %v, want ErrFenced", err)
	}
	in.State = bridge.IntentVoid
	must(t, s.UpdateIntent(t.Context(), in)) // the new leader sees that it was never sent
	if _, err := s.StoreIntents(t.Context(), CycleOf(2, epoch, "d"), nil); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("intend: %v, want ErrFenced", err)
	}
	if m, err := s.Memo(t.Context(), Cluster, "gpu"); m.CycleSeq != 1 || err != nil {
		t.Errorf("the last cycle is %d, %v: a fenced one was stored", m.CycleSeq, err)
	}
}

// sendingAgainIsFenced: an edit without an answer may be sent again only by the
// leader that sent it.
func sendingAgainIsFenced(t *testing.T, s StoreWithClock) {
	in := s.intend(t, LeaseOf(1, s.lead(t, "a")))[0]
	for _, state := range []bridge.IntentState{bridge.IntentSent, bridge.IntentUnknown} {
		in.State = state
		must(t, s.UpdateIntent(t.Context(), in))
	}
	must(t, s.Resign(t.Context(), Cluster, "a"))
	s.lead(t, "b")
	in.State = bridge.IntentSent
	if err := s.UpdateIntent(t.Context(), in); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("another leads, and it may be sent again: %v, want ErrFenced", err)
	}
}

// alone returns who leads and for how long no daemon has, to the minute.
func (s StoreWithClock) alone(t *testing.T) (string, time.Duration) {
	t.Helper()
	leader, long, err := s.NoteExpirerRun(t.Context(), Cluster)
	must(t, err)
	return leader, long.Truncate(time.Minute)
}

func beatKnowsWhoLed(t *testing.T, s StoreWithClock) {
	later := func() { s.PassTime(10*time.Minute + time.Second) }
	if _, ok, err := s.TimeSinceExpirerRan(t.Context(), Cluster); ok || err != nil {
		t.Errorf("before the first beat: %v %v", ok, err)
	}
	if who, long := s.alone(t); who != "" || long != 0 {
		t.Errorf("of an empty store %q leads, alone for %v", who, long)
	}
	later()
	if ago, ok, err := s.TimeSinceExpirerRan(t.Context(), Cluster); !ok || err != nil || ago.Truncate(time.Minute) != 10*time.Minute {
		t.Errorf("the last beat was %v ago: %v %v", ago, ok, err)
	}
	Lead(t, s, "a", time.Minute)
	if who, long := s.alone(t); who != "a" || long != 0 {
		t.Errorf("while a leads: %q, alone for %v", who, long)
	}
	later()
	if who, long := s.alone(t); who != "" || long < 8*time.Minute || long > 10*time.Minute {
		t.Errorf("nine minutes after its lease: %q, alone for %v", who, long)
	}
	expire := "timer" + push.ExpirerNameSuffix
	Lead(t, s, expire, time.Minute)
	if who, long := s.alone(t); who != expire || long < 8*time.Minute {
		t.Errorf("its own leadership counts as a daemon's: %q, alone for %v", who, long)
	}
	must(t, s.Resign(t.Context(), Cluster, expire))
	later()
	if who, long := s.alone(t); who != "" || long < 18*time.Minute {
		t.Errorf("ten minutes later: %q, alone for %v", who, long)
	}
}
