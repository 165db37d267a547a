// Package storetest tries stores of what the control loop remembers: the same
// tests for the one in Postgres (accounting/stores) and the one in memory (package
// memstore), so that a loop that was tried on one may be believed on the other.
package storetest

import (
	"testing"
	"time"

	"fairbridge/bridge"
)

// Store is everything the loop, release and expire ask of a database.
type Store interface {
	bridge.Journal
	bridge.Leadership
	bridge.History
	bridge.ExpirerStatus
	bridge.LeaderWatch
}

// StoreWithClock is a store, empty, with a clock that can be moved.
type StoreWithClock struct {
	Store
	// AdvanceClock lets time go by for everything that lasts by the store's clock.
	AdvanceClock func(time.Duration)
}

// OpenStore opens a store for a test.
type OpenStore func(*testing.T) StoreWithClock

// RunStoreTests tries the store. Usage decays with a half-life of a week.
func RunStoreTests(t *testing.T, open OpenStore) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, StoreWithClock)
	}{
		{"what is intended comes back", testIntendedComesBack},
		{"intending twice is once", testIntendingTwice},
		{"all is stored or nothing", testAllOrNothing},
		{"a release has no cycle", testReleaseHasNoCycle},
		{"the memo comes back", testMemoComesBack},
		{"no intent goes back", testNoIntentGoesBack},
		{"what settling adopted is kept", testAdoptedIntentIsKept},
		{"before is what was read before sending", testBeforeIsReadBeforeSending},
		{"closed intents are found by time", testClosedIntentsByTime},
		{"leading hands over with a new epoch", testLeadershipHandsOver},
		{"a lapsed lease is a new epoch", testLeaseLapses},
		{"a stale leader may not send", testStaleLeader},
		{"sending again is fenced", testSendingAgainIsFenced},
		{"a beat knows when a daemon led last", testBeatKnowsWhoLed},
		{"an older view is refused", testOlderView},
		{"a view recorded twice is recorded once", testViewTwice},
		{"the past of a requeued job", testPastOfRequeuedJob},
		{"our requeues are remembered", testOurRequeues},
		{"a call that is cut short fails", testCancelledCalls},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func failOnError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// becomeLeader makes me the leader for an hour and returns the epoch.
func (s StoreWithClock) becomeLeader(t *testing.T, me string) int64 {
	t.Helper()
	return BecomeLeader(t, s, me, time.Hour)
}

// BecomeLeader makes me the leader and returns the epoch.
func BecomeLeader(t testing.TB, s bridge.Leadership, me string, ttl time.Duration) int64 {
	t.Helper()
	epoch, holder, leads, err := s.Lead(t.Context(), ClusterName, me, ttl)
	if err != nil || !leads || holder != me {
		t.Fatalf("%s does not lead: %q does, %v", me, holder, err)
	}
	return epoch
}

// intendWithoutCycle stores intents without a cycle.
func (s StoreWithClock) intendWithoutCycle(t *testing.T, intents ...bridge.Intent) []bridge.Intent {
	t.Helper()
	out, err := s.StoreIntents(t.Context(), nil, intents)
	failOnError(t, err)
	return out
}

// listIntents returns every intent, however long it is closed.
func (s StoreWithClock) listIntents(t *testing.T) []bridge.Intent {
	t.Helper()
	out, err := s.Intents(t.Context(), ClusterName, StartTime, time.Unix(0, 0))
	failOnError(t, err)
	return out
}

// readClock returns the store's time.
func (s StoreWithClock) readClock(t *testing.T) time.Time {
	t.Helper()
	now, err := s.Clock(t.Context())
	failOnError(t, err)
	return now
}
