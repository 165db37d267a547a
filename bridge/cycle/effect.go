package cycle

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// The effect breaker: Slurm said yes, and nothing came of it. When that is more
// than a few of the edits of the last hour, Slurm does not do what we think it
// does. Calls that failed say nothing of the kind: a push gives up by itself
// when they do, and the next one begins with a single call.
const (
	maxMissed   = 0.05 // share of the edits that may have no effect
	missedFloor = 5    // but never fewer trip the breaker
	missedSpan  = time.Hour
	firstProbe  = 30 * time.Second // from the last miss to the first edit that is tried
	lastProbe   = 10 * time.Minute // the longest such wait: each miss doubles it
	provenBy    = 3                // tried edits in a row that had their effect close the breaker
)

// allowance is how many edits may be sent in a cycle.
type allowance int

const (
	noEdit  allowance = 0
	allEdit allowance = -1
)

// limit returns those of the edits that may be sent, and how many more. A requeue is
// nothing to try with, nor is the warning of one, whose effect nothing shows.
func (a allowance) limit(edits []slurm.Edit) ([]slurm.Edit, allowance) {
	if a == allEdit {
		return edits, allEdit
	}
	i := slices.IndexFunc(edits, func(e slurm.Edit) bool { return actuator.KindRowOf(e.Kind).StopTiming == actuator.NoStop })
	if a == noEdit || i < 0 {
		return nil, a
	}
	return edits[i : i+1], noEdit
}

// effectBreaker is the state of the effect breaker, as the ledger shows it.
type effectBreaker struct {
	open    bool
	sent    int           // while closed: edits that count
	missed  int           // of which had no effect; while open: all that had none
	since   time.Time     // while open: when the last one was known to have had none
	wait    time.Duration // from then to the next try
	proven  int           // tries in a row with effect
	pending bool          // one is under way
}

// effectBreakerOf follows the breaker through the intents of the last hour, by ID.
func effectBreakerOf(intents []bridge.Intent, now time.Time) effectBreaker {
	e := effectBreaker{wait: firstProbe}
	stuck := mostOrdersUnmoved(intents, now)
	for i := range intents {
		in := &intents[i]
		if in.Sent.IsZero() || now.Sub(in.Sent) > missedSpan {
			continue
		}
		switch tried := e.open && in.Sent.After(e.since); {
		case in.State.IsOpen():
			e.pending = e.pending || tried
		case ledger.HadNoEffect(in) || stuck && ledger.WasOrderIgnored(in):
			e.countMissed(in, tried)
		case in.State == bridge.IntentFailed: // the call failed, which says nothing of its effect
		case tried:
			e.countProven()
		case !e.open:
			e.sent++
		}
	}
	return e
}

// mostOrdersUnmoved reports whether most of the orders of the last hour moved no priority.
// A few are priorities that somebody set directly, and those jobs are left
// alone; most are a Slurm that does not order by what we write.
func mostOrdersUnmoved(intents []bridge.Intent, now time.Time) bool {
	orders, still := 0, 0
	for i := range intents {
		in := &intents[i]
		if in.Sent.IsZero() || now.Sub(in.Sent) > missedSpan || !actuator.KindRowOf(in.Edit.Kind).AddsToPriority {
			continue
		}
		orders++
		if ledger.WasOrderIgnored(in) {
			still++
		}
	}
	return still >= missedFloor && 2*still > orders
}

func (e *effectBreaker) countMissed(in *bridge.Intent, tried bool) {
	e.sent++
	e.missed++
	e.proven = 0
	switch {
	case !e.open:
		e.open = e.missed >= missedFloor && float64(e.missed) > maxMissed*float64(e.sent)
	case tried:
		e.wait = min(2*e.wait, lastProbe)
	}
	if in.Closed.After(e.since) {
		e.since = in.Closed
	}
	if in.Sent.After(e.since) { // what may stand is not closed
		e.since = in.Sent
	}
}

// countProven counts a try that had its effect.
func (e *effectBreaker) countProven() {
	if e.proven++; e.proven == provenBy {
		*e = effectBreaker{wait: firstProbe}
	}
}

// allowance returns how many edits may be sent now, and while the breaker is open
// why not more.
func (e *effectBreaker) allowance(now time.Time) (allowance, error) {
	if !e.open {
		return allEdit, nil
	}
	err := fmt.Errorf("%d edits of the last hour had no effect although Slurm said yes: look at the intents (fairbridge explain JOB), at a job_submit plugin and at slurmctld's log; one edit at a time is tried, at %s or later",
		e.missed, e.since.Add(e.wait).UTC().Format(time.RFC3339))
	if e.pending || now.Before(e.since.Add(e.wait)) {
		return noEdit, err
	}
	return 1, err
}
