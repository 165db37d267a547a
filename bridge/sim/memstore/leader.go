package memstore

import (
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/policy"
)

// leader is the leased row, and what expire notes beside it.
type leader struct {
	holder string
	epoch  int64
	until  time.Time
	beat   time.Time // when expire ran last; zero: never
	led    time.Time // when a daemon led last, as of the last beat
}

func (l *leader) isAlive(now time.Time) bool { return now.Before(l.until) }

// acquire takes or renews the lease.
func (l *leader) acquire(me string, now time.Time, ttl time.Duration) (epoch int64, holder string, leads bool) {
	if l.isAlive(now) && l.holder != me {
		return l.epoch, l.holder, false
	}
	if !l.isAlive(now) {
		l.epoch++
	}
	l.holder, l.until = me, now.Add(ttl)
	return l.epoch, me, true
}

func (l *leader) resign(me string, now time.Time) {
	if l.holder == me && l.isAlive(now) {
		l.until = now
	}
}

// checkEpoch refuses an epoch that does not lead.
func (l *leader) checkEpoch(epoch int64, now time.Time) error {
	switch {
	case l.holder == "":
		return fmt.Errorf("%w: no daemon leads", bridge.ErrFenced)
	case epoch != l.epoch:
		return fmt.Errorf("%w: %s under epoch %d, ours was %d", bridge.ErrFenced, l.holder, l.epoch, epoch)
	case !l.isAlive(now):
		return fmt.Errorf("%w: our lease of epoch %d ran out", bridge.ErrFenced, epoch)
	}
	return nil
}

// noteExpiry notes that expire runs, and returns who leads and how long no daemon
// has: expire itself, while it leads, is none.
func (l *leader) noteExpiry(now time.Time) (holder string, alone time.Duration) {
	daemon := l.holder != "" && !strings.HasSuffix(l.holder, push.ExpirerNameSuffix)
	switch {
	case daemon && l.isAlive(now):
		l.led = now
	case daemon:
		l.led = policy.Later(l.led, l.until)
	case l.beat.IsZero():
		l.led = now
	}
	l.beat = now
	if l.isAlive(now) {
		holder = l.holder
	}
	return holder, now.Sub(l.led)
}
