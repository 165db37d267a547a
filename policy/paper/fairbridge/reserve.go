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
	soon      = .25           // a job of an account below its share has a reservation
	eventual  = 2             // every job is first among those of accounts that stand like its own
	lastLeast = 8 * time.Hour // and, after no less than this, first of all
)

// patiences are the rules by which jobs wait.
type patiences struct{ soon, due, last engine.Rules }

func (f *Policy) patiences() patiences {
	p := patiences{due: f.Rules()}
	p.soon, p.last = p.due, p.due
	p.soon.Patience, p.soon.Least = soon, time.Second
	p.due.Patience, p.last.Patience, p.last.Least = eventual, eventual, lastLeast
	return p
}

// Behind implements engine.Backfiller.
func (l *slackLine) Behind(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	rules := l.wait.due
	if l.below(blocked.Account) {
		rules = l.wait.soon
	}
	return backfill.EASY{Length: rules.Lengths(r, blocked)}.Behind(r, blocked)
}

// Reserves implements engine.Reserver: jobs have a reservation that are due, and
// soon those of accounts that used less than their share, which under Slurm
// alone would have one at once. Others are passed by every job that finds room.
func (l *slackLine) Reserves(r *engine.Round, e *engine.Entry) bool {
	if !grant.Competes(r, e) {
		return false
	}
	return l.wait.due.Late(r, e) > 0 || l.below(e.Account) && l.wait.soon.Late(r, e) > 0
}
