// Package memstore is a database made of memory: what the control loop has to
// remember (its ledger, who leads, what is known of runs), by the clock of a
// simulation. It keeps to the rules of accounting/stores, which does the same in
// Postgres: package storetest tries both. What it leaves out are several
// clusters, cycles older than the last, lists that are not full, and runs that are
// suspended, resized, or hold slices of a GPU.
package memstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// DefaultHalfLife is that of accounting/runs and of Slurm.
const DefaultHalfLife = 7 * 24 * time.Hour

// Store is everything the loop, release and expire ask of a database, for one
// cluster: names of clusters are not looked at. It is not safe for concurrent
// use.
type Store struct {
	// InjectError, if not nil, is asked at the beginning of every call of a port, by the
	// name of its method. Its error is what the call returns; nothing is done then.
	InjectError func(call string) error
	// AllowsAnyEpoch lets every epoch write, as the database must not.
	AllowsAnyEpoch bool

	journal journal
	history history
	leader  leaderRow
	now     func() time.Time
}

// New makes an empty store. The clock is the cluster's; accounts are the
// entitlements (Name, Parent, Weight); a half-life of 0 is DefaultHalfLife.
func New(now func() time.Time, accounts []policy.Account, halfLife time.Duration) *Store {
	if halfLife <= 0 {
		halfLife = DefaultHalfLife
	}
	return &Store{now: now, journal: newJournal(), history: newHistory(accounts, halfLife)}
}

// SetBillingWeights says what GPUs of each type are charged from now on.
func (s *Store) SetBillingWeights(weights policy.BillingWeights) { s.history.usage.weights = weights }

// startCall is the beginning of every call.
func (s *Store) startCall(ctx context.Context, call string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	if s.InjectError != nil {
		return s.InjectError(call)
	}
	return nil
}

// checkEpoch refuses an epoch that does not lead.
func (s *Store) checkEpoch(epoch int64) error {
	if s.AllowsAnyEpoch {
		return nil
	}
	return s.leader.checkEpoch(epoch, s.now())
}

// Leader returns the leader's row.
func (s *Store) Leader() (holder string, epoch int64, until time.Time) {
	return s.leader.holder, s.leader.epoch, s.leader.leaseEnd
}

// Lead implements bridge.Leadership.
func (s *Store) Lead(ctx context.Context, _, me string, ttl time.Duration) (epoch int64, holder string, leads bool, err error) {
	if err := s.startCall(ctx, "Lead"); err != nil {
		return 0, "", false, err
	}
	epoch, holder, leads = s.leader.acquireLease(me, s.now(), ttl)
	return epoch, holder, leads, nil
}

// Resign implements bridge.Leadership.
func (s *Store) Resign(ctx context.Context, _, me string) error {
	err := s.startCall(ctx, "Resign")
	if err == nil {
		s.leader.resignLease(me, s.now())
	}
	return err
}

// NoteExpirerRun implements bridge.Watch.
func (s *Store) NoteExpirerRun(ctx context.Context, _ string) (leader string, alone time.Duration, err error) {
	if err := s.startCall(ctx, "NoteExpirerRun"); err != nil {
		return "", 0, err
	}
	leader, alone = s.leader.noteExpiry(s.now())
	return leader, alone, nil
}

// TimeSinceExpirerRan implements bridge.ExpirerStatus.
func (s *Store) TimeSinceExpirerRan(ctx context.Context, _ string) (ago time.Duration, ok bool, err error) {
	if err := s.startCall(ctx, "TimeSinceExpirerRan"); err != nil || s.leader.lastBeat.IsZero() {
		return 0, false, err
	}
	return s.now().Sub(s.leader.lastBeat), true, nil
}

// StoreIntents implements bridge.Journal.
func (s *Store) StoreIntents(ctx context.Context, c *bridge.Cycle, intents []bridge.Intent) ([]bridge.Intent, error) {
	if err := s.startCall(ctx, "StoreIntents"); err != nil || c == nil && len(intents) == 0 {
		return nil, err
	}
	epoch, err := commonEpoch(c, intents)
	if err == nil {
		err = s.checkEpoch(epoch)
	}
	if err != nil {
		return nil, fmt.Errorf("storing intents: %w", err)
	}
	return s.journal.storeIntents(c, intents)
}

// UpdateIntent implements bridge.Journal.
func (s *Store) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	err := s.startCall(ctx, "UpdateIntent")
	if err == nil {
		err = s.journal.markIntent(&in, s.now(), s.checkEpoch)
	}
	if err != nil {
		return fmt.Errorf("marking intent %d %s: %w", in.ID, in.State, err)
	}
	return nil
}

// Intents implements bridge.Journal. What closed before Forget was told stays
// forgotten.
func (s *Store) Intents(ctx context.Context, _ string, _, since time.Time) ([]bridge.Intent, error) {
	if err := s.startCall(ctx, "Intents"); err != nil {
		return nil, err
	}
	return s.journal.intentsSince(since), nil
}

// ForgetClosed drops the closed intents that no cycle needs any more, for runs that are long.
func (s *Store) ForgetClosed(canForget func(*bridge.Intent) bool) {
	s.journal.forgetClosed(canForget)
}

// OpenIntentCount returns how many intents wait for their outcome.
func (s *Store) OpenIntentCount() int { return len(s.journal.openIntentByField) }

// OldOpenIntentCount returns how many of them were not touched since a time.
func (s *Store) OldOpenIntentCount(since time.Time) (count int) {
	for _, id := range s.journal.openIntentByField {
		if s.journal.findIntent(id).LastTouched().Before(since) {
			count++
		}
	}
	return count
}

// LastCycle returns the last one stored of the partition, without its snapshot; nil:
// none was.
func (s *Store) LastCycle(partition string) *bridge.Cycle {
	if c := s.journal.lastCycleByPartition[partition]; c != nil {
		return &c.Cycle
	}
	return nil
}

// SkipCycles counts so many cycles of the partition as run: the next has the number
// it would have had.
func (s *Store) SkipCycles(partition string, cycles int) { s.journal.skipCycles(partition, cycles) }

// Clock implements bridge.History.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	return s.now(), s.startCall(ctx, "Clock")
}

// RecordView implements bridge.History.
func (s *Store) RecordView(ctx context.Context, v *slurm.View) error {
	err := s.startCall(ctx, "RecordView")
	if err == nil {
		err = s.history.recordView(v)
	}
	return err
}

// Past implements bridge.History.
func (s *Store) Past(ctx context.Context, _ string, now time.Time) (*bridge.Past, error) {
	if err := s.startCall(ctx, "Past"); err != nil {
		return nil, err
	}
	return s.history.buildPast(now, s.journal.requeueTimes), nil
}

// Memo implements bridge.History.
func (s *Store) Memo(ctx context.Context, _ string, p *bridge.Partition) (bridge.Memo, error) {
	if err := s.startCall(ctx, "Memo"); err != nil {
		return bridge.Memo{}, err
	}
	return s.journal.lastMemo(p)
}

// SetInitialUse says what users had used in their accounts when the world began,
// decayed to that moment. It is called before anything else is recorded.
func (s *Store) SetInitialUse(users []policy.User, at time.Time) {
	s.history.usage.setInitialUse(users, at)
}

// Clone returns a copy that shares nothing that changes: a backup.
func (s *Store) Clone() *Store {
	c := *s
	c.journal, c.history = s.journal.clone(), s.history.clone()
	return &c
}

var (
	_ bridge.Journal       = (*Store)(nil)
	_ bridge.Leadership    = (*Store)(nil)
	_ bridge.History       = (*Store)(nil)
	_ bridge.ExpirerStatus = (*Store)(nil)
	_ bridge.LeaderWatch   = (*Store)(nil)
)

// leaderRow is the leased row, and what expire notes beside it.
type leaderRow struct {
	holder   string
	epoch    int64
	leaseEnd time.Time
	lastBeat time.Time // when expire ran last; zero: never
	lastLed  time.Time // when a daemon led last, as of the last beat
}

func (l *leaderRow) isLeaseAlive(now time.Time) bool { return now.Before(l.leaseEnd) }

// acquireLease takes or renews the lease.
func (l *leaderRow) acquireLease(me string, now time.Time, ttl time.Duration) (epoch int64, holder string, leads bool) {
	if l.isLeaseAlive(now) && l.holder != me {
		return l.epoch, l.holder, false
	}
	if !l.isLeaseAlive(now) {
		l.epoch++
	}
	l.holder, l.leaseEnd = me, now.Add(ttl)
	return l.epoch, me, true
}

func (l *leaderRow) resignLease(me string, now time.Time) {
	if l.holder == me && l.isLeaseAlive(now) {
		l.leaseEnd = now
	}
}

// checkEpoch refuses an epoch that does not lead.
func (l *leaderRow) checkEpoch(epoch int64, now time.Time) error {
	switch {
	case l.holder == "":
		return fmt.Errorf("%w: no daemon leads", bridge.ErrFenced)
	case epoch != l.epoch:
		return fmt.Errorf("%w: %s under epoch %d, ours was %d", bridge.ErrFenced, l.holder, l.epoch, epoch)
	case !l.isLeaseAlive(now):
		return fmt.Errorf("%w: our lease of epoch %d ran out", bridge.ErrFenced, epoch)
	}
	return nil
}

// noteExpiry notes that expire runs, and returns who leads and how long no daemon
// has: expire itself, while it leads, is none.
func (l *leaderRow) noteExpiry(now time.Time) (holder string, alone time.Duration) {
	daemon := l.holder != "" && !strings.HasSuffix(l.holder, push.ExpirerNameSuffix)
	switch {
	case daemon && l.isLeaseAlive(now):
		l.lastLed = now
	case daemon:
		l.lastLed = policy.Later(l.lastLed, l.leaseEnd)
	case l.lastBeat.IsZero():
		l.lastLed = now
	}
	l.lastBeat = now
	if l.isLeaseAlive(now) {
		holder = l.holder
	}
	return holder, now.Sub(l.lastLed)
}
