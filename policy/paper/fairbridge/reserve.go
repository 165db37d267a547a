package fairbridge

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

// When jobs that wait for others that must not be stopped are given what gets
// free, counted in their own lengths.
const (
	belowSharePatience = .25           // a job of an account below its share has a reservation
	overduePatience    = 2             // every job is first among those of accounts that stand like its own
	firstOfAllMinWait  = 8 * time.Hour // and, after no less than this, first of all
)

// waitRules are the rules by which jobs wait.
type waitRules struct{ belowShare, overdue, firstOfAll engine.Rules }

func (f *Policy) newWaitRules() waitRules {
	p := waitRules{overdue: f.Rules()}
	p.belowShare, p.firstOfAll = p.overdue, p.overdue
	p.belowShare.Patience, p.belowShare.MinPatience = belowSharePatience, time.Second
	p.overdue.Patience, p.firstOfAll.Patience, p.firstOfAll.MinPatience = overduePatience, overduePatience, firstOfAllMinWait
	return p
}

// NewPassCheck implements engine.Backfiller.
func (l *slackOrder) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	rules := l.waitRules.overdue
	if l.belowShare(blocked.Account) {
		rules = l.waitRules.belowShare
	}
	return backfill.EASY{RunLength: rules.ReservationRunLength(r, blocked)}.NewPassCheck(r, blocked)
}

// Reserves implements engine.Reserver: jobs have a reservation that are due, and
// soon those of accounts that used less than their share, which under Slurm
// alone would have one at once. Others are passed by every job that finds room.
func (l *slackOrder) Reserves(r *engine.Round, e *engine.Entry) bool {
	if !grant.CompetesForLease(r, e) {
		return false
	}
	return l.waitRules.overdue.OverdueBy(r, e) > 0 || l.belowShare(e.Account) && l.waitRules.belowShare.OverdueBy(r, e) > 0
}
