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
	overduePatience    = 2   // every job is first among those of accounts with a like usage over their share
	widePatience       = .32 // the same for a job of one whole node; with .3 an account below its share pays
)

// waitRules are the rules by which jobs wait. First of all is only who waited max_wait:
// were it sooner, what a busy day leaves behind of accounts above their share would go
// before the jobs of accounts below theirs.
//
// A job is wide that needs as many GPUs as the largest node has, or more. Shortest first delays it, since each
// small job that starts on a part of a node postpones its start: on streams of short plain jobs, jobs of two nodes
// waited 1.4 times as long as under Slurm alone with overduePatience, and wait 1.2 times as long with widePatience.
type waitRules struct {
	belowShareReservation, wide, others, firstOfAll engine.Rules

	largestNode float64 // GPUs
}

func (f *Policy) newWaitRules(s *policy.Snapshot) waitRules {
	after := func(patience float64, atLeast time.Duration) engine.Rules {
		r := f.Rules()
		r.PatienceFactor, r.MinPatience = patience, atLeast
		return r
	}
	p := waitRules{
		belowShareReservation: after(belowSharePatience, time.Second),
		wide:                  after(widePatience, time.Second),
		others:                after(overduePatience, f.Rules().MinPatience),
		firstOfAll:            after(0, f.Rules().MinPatience),
	}
	for i := range s.Nodes {
		p.largestNode = max(p.largestNode, s.Nodes[i].WholeGPUs())
	}
	return p
}

// isWide reports whether the job needs as many GPUs as the largest node has, or more.
func (p *waitRules) isWide(e *engine.Entry) bool {
	return p.largestNode > 1 && e.Ask.GPUs.WholeGPUs() >= p.largestNode
}

// overdue are the rules by which the job goes first and has a reservation. A wide job waits the less the more
// nodes it needs.
func (p *waitRules) overdue(e *engine.Entry) engine.Rules {
	if !p.isWide(e) {
		return p.others
	}
	rules := p.wide
	rules.PatienceFactor *= p.largestNode / e.Ask.GPUs.WholeGPUs()
	return rules
}

// NewPassCheck implements engine.Backfiller. A job may pass if it delays the blocked one neither
// by forecast nor, where forecasts may not be trusted any longer, by limits. By limits alone, which
// are mostly far too long, nodes seem taken for so many hours that jobs which run nearly as long
// would delay nothing; short gangs then waited for days.
func (l *slackOrder) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	rules := l.waitRules.overdue(blocked)
	if l.isBelowShare(blocked.Account) {
		rules = l.waitRules.belowShareReservation
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
	return l.waitRules.overdue(e).OverdueBy(r, e) > 0 ||
		l.isBelowShare(e.Account) && l.waitRules.belowShareReservation.OverdueBy(r, e) > 0
}
