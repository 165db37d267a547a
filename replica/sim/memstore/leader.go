package memstore

import (
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/policy"
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
