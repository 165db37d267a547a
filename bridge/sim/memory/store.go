// Package memory keeps what the control loop has to remember (its ledger, its
// leadership, what is known of runs) in memory, for loops in virtual time. It
// keeps to the rules of package accounting, which does the same in Postgres,
// but for what only a crash or a second daemon would show.
package memory

import (
	"context"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// DefaultHalfLife is that of package accounting and of Slurm.
const DefaultHalfLife = 7 * 24 * time.Hour

// Store is a bridge.Journal, bridge.Leadership and bridge.History of one
// cluster. It is not safe for concurrent use.
type Store struct {
	journal
	history
	now    func() time.Time
	holder string
	epoch  int64
	until  time.Time
}

// New makes an empty store. The clock is the cluster's; accounts are the
// entitlements (Name, Parent, Weight); a half-life of 0 is DefaultHalfLife.
func New(now func() time.Time, accounts []policy.Account, halfLife time.Duration) *Store {
	if halfLife <= 0 {
		halfLife = DefaultHalfLife
	}
	s := &Store{now: now}
	s.journal.last = map[string]*bridge.Cycle{}
	s.history = newHistory(accounts, halfLife)
	s.history.stops = s.journal.stops
	return s
}

// Lead implements bridge.Leadership.
func (s *Store) Lead(_ context.Context, _, me string, ttl time.Duration) (epoch int64, holder string, leader bool, err error) {
	now := s.now()
	alive := now.Before(s.until)
	if alive && s.holder != me {
		return s.epoch, s.holder, false, nil
	}
	if !alive {
		s.epoch++
	}
	s.holder, s.until = me, now.Add(ttl)
	return s.epoch, me, true, nil
}

// Clock implements bridge.History.
func (s *Store) Clock(context.Context) (time.Time, error) { return s.now(), nil }

// Resign implements bridge.Leadership.
func (s *Store) Resign(_ context.Context, _, me string) error {
	if s.holder == me {
		s.until = time.Time{}
	}
	return nil
}

var (
	_ bridge.Journal    = (*Store)(nil)
	_ bridge.Leadership = (*Store)(nil)
	_ bridge.History    = (*Store)(nil)
)
