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
	// PassTime lets time go by for everything that lasts by the store's clock.
	PassTime func(time.Duration)
}

// Open makes a store for a test.
type Open func(*testing.T) StoreWithClock

// Run tries the store. Usage decays with a half-life of a week.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, StoreWithClock)
	}{
		{"what is intended comes back", intendedComesBack},
		{"intending twice is once", intendingTwiceIsOnce},
		{"all is stored or nothing", allOrNothing},
		{"a release has no cycle", releaseHasNoCycle},
		{"the memo comes back", memoComesBack},
		{"no intent goes back", noIntentGoesBack},
		{"what settling adopted is kept", adoptedIsKept},
		{"before is what was read before sending", beforeIsReadBeforeSending},
		{"closed intents are found by time", closedByTime},
		{"leading hands over with a new epoch", handsOver},
		{"a lapsed lease is a new epoch", leaseLapses},
		{"a stale leader may not send", staleLeader},
		{"sending again is fenced", sendingAgainIsFenced},
		{"a beat knows when a daemon led last", beatKnowsWhoLed},
		{"an older view is refused", olderViews},
		{"a view recorded twice is recorded once", viewTwice},
		{"the past of a requeued job", pastOfARequeuedJob},
		{"our requeues are remembered", ourRequeues},
		{"a call that is cut short fails", cutShort},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lead makes me the leader for an hour and returns the epoch.
func (s StoreWithClock) lead(t *testing.T, me string) int64 {
	t.Helper()
	return Lead(t, s, me, time.Hour)
}

// Lead makes me the leader and returns the epoch.
func Lead(t testing.TB, s bridge.Leadership, me string, ttl time.Duration) int64 {
	t.Helper()
	epoch, holder, leads, err := s.Lead(t.Context(), Cluster, me, ttl)
	if err != nil || !leads || holder != me {
		t.Fatalf("%s does not lead: %q does, %v", me, holder, err)
	}
	return epoch
}

// intend stores intents without a cycle.
func (s StoreWithClock) intend(t *testing.T, intents ...bridge.Intent) []bridge.Intent {
	t.Helper()
	out, err := s.StoreIntents(t.Context(), nil, intents)
	must(t, err)
	return out
}

// all returns every intent, however long it is closed.
func (s StoreWithClock) all(t *testing.T) []bridge.Intent {
	t.Helper()
	out, err := s.Intents(t.Context(), Cluster, Start, time.Unix(0, 0))
	must(t, err)
	return out
}

// clock returns the store's time.
func (s StoreWithClock) clock(t *testing.T) time.Time {
	t.Helper()
	now, err := s.Clock(t.Context())
	must(t, err)
	return now
}
