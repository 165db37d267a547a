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
	belowSharePatience = .25 // a job of an account below its share has a reservation
	overduePatience    = 2   // every job is first among those of accounts that stand like its own
)

// waitRules are the rules by which jobs wait. First of all is only who waited max_wait:
// were it sooner, what a busy day leaves behind of accounts above their share would go
// before the jobs of accounts below theirs.
type waitRules struct{ belowShareRules, overdueRules, firstOfAllRules engine.Rules }

func (f *Policy) newWaitRules() waitRules {
	p := waitRules{overdueRules: f.Rules()}
	p.belowShareRules, p.firstOfAllRules = p.overdueRules, p.overdueRules
	p.belowShareRules.PatienceFactor, p.belowShareRules.MinPatience = belowSharePatience, time.Second
	p.overdueRules.PatienceFactor, p.firstOfAllRules.PatienceFactor = overduePatience, 0
	return p
}

// NewPassCheck implements engine.Backfiller. A job may pass if it delays the blocked one neither
// by forecast nor, where forecasts may not be trusted any longer, by limits. By limits alone, which
// are mostly far too long, nodes seem taken for so many hours that jobs which run nearly as long
// would delay nothing; short gangs then waited for days.
func (l *slackOrder) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	rules := l.waitRules.overdueRules
	if l.isBelowShare(blocked.Account) {
		rules = l.waitRules.belowShareRules
	}
	byForecast := backfill.EASY{RunLength: engine.RunLengthByForecast}.NewPassCheck(r, blocked)
	if !rules.DistrustsForecasts(r, blocked) {
		return byForecast
	}
	byLimit := backfill.EASY{RunLength: engine.RunLengthByLimit}.NewPassCheck(r, blocked)
	return func(e *engine.Entry, on policy.Alloc) error {
		if err := byForecast(e, on); err != nil {
			return err
		}
		return byLimit(e, on)
	}
}

// Reserves implements engine.Reserver: jobs have a reservation that are due, and
// soon those of accounts that used less than their share, which under Slurm
// alone would have one at once. Others are passed by every job that finds room.
func (l *slackOrder) Reserves(r *engine.Round, e *engine.Entry) bool {
	if !grant.CompetesForLease(r, e) {
		return false
	}
	return l.waitRules.overdueRules.OverdueBy(r, e) > 0 || l.isBelowShare(e.Account) && l.waitRules.belowShareRules.OverdueBy(r, e) > 0
}
