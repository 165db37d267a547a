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
	maxMissedShare     = 0.05 // share of the edits that may have no effect
	minMissedEdits     = 5    // but never fewer trip the breaker
	editMemorySpan     = time.Hour
	firstTrialWait     = 30 * time.Second // from the last miss to the first edit that is tried
	maxTrialWait       = 10 * time.Minute // the longest such wait: each miss doubles it
	provenEditsToClose = 3                // tried edits in a row that had their effect close the breaker
)

// editAllowance is how many edits may be sent in a cycle.
type editAllowance int

const (
	noEdits  editAllowance = 0
	allEdits editAllowance = -1
)

// limitEdits returns those of the edits that may be sent, and how many more. A requeue is
// nothing to try with, nor is the warning of one, whose effect nothing shows, nor what only tells.
func (a editAllowance) limitEdits(edits []slurm.Edit) ([]slurm.Edit, editAllowance) {
	if a == allEdits {
		return edits, allEdits
	}
	i := slices.IndexFunc(edits, func(e slurm.Edit) bool {
		row := actuator.EditKindRowOf(e.Kind)
		return row.StopTiming == actuator.NoStop && !row.OnlyTells
	})
	if a == noEdits || i < 0 {
		return nil, a
	}
	return edits[i : i+1], noEdits
}

// effectBreaker is the state of the effect breaker, as the ledger shows it.
type effectBreaker struct {
	isOpen       bool
	sentCount    int           // while closed: edits that count
	missedCount  int           // of which had no effect; while open: all that had none
	lastMissedAt time.Time     // while open: when the last one was known to have had none
	trialWait    time.Duration // from then to the next try
	provenProbes int           // tries in a row with effect
	isProbing    bool          // one is under way
}

// newEffectBreaker follows the breaker through the intents of the last hour, by ID.
func newEffectBreaker(intents []bridge.Intent, now time.Time) effectBreaker {
	e := effectBreaker{trialWait: firstTrialWait}
	stuck := areMostOrdersIgnored(intents, now)
	for i := range intents {
		in := &intents[i]
		if in.Sent.IsZero() || now.Sub(in.Sent) > editMemorySpan || actuator.EditKindRowOf(in.Edit.Kind).OnlyTells {
			continue
		}
		switch tried := e.isOpen && in.Sent.After(e.lastMissedAt); {
		case in.State.IsOpen():
			e.isProbing = e.isProbing || tried
		case ledger.HadNoEffect(in) || stuck && ledger.WasOrderIgnored(in):
			e.countMissedEdit(in, tried)
		case in.State == bridge.IntentFailed: // the call failed, which says nothing of its effect
		case tried:
			e.countProvenProbe()
		case !e.isOpen:
			e.sentCount++
		}
	}
	return e
}

// areMostOrdersIgnored reports whether most of the orders of the last hour moved no priority.
// A few are priorities that somebody set directly, and those jobs are left
// alone; most are a Slurm that does not order by what we write.
func areMostOrdersIgnored(intents []bridge.Intent, now time.Time) bool {
	orders, still := 0, 0
	for i := range intents {
		in := &intents[i]
		if in.Sent.IsZero() || now.Sub(in.Sent) > editMemorySpan || !actuator.EditKindRowOf(in.Edit.Kind).AddsToPriority {
			continue
		}
		orders++
		if ledger.WasOrderIgnored(in) {
			still++
		}
	}
	return still >= minMissedEdits && 2*still > orders
}

func (e *effectBreaker) countMissedEdit(in *bridge.Intent, tried bool) {
	e.sentCount++
	e.missedCount++
	e.provenProbes = 0
	switch {
	case !e.isOpen:
		e.isOpen = e.missedCount >= minMissedEdits && float64(e.missedCount) > maxMissedShare*float64(e.sentCount)
	case tried:
		e.trialWait = min(2*e.trialWait, maxTrialWait)
	}
	if in.Closed.After(e.lastMissedAt) {
		e.lastMissedAt = in.Closed
	}
	if in.Sent.After(e.lastMissedAt) { // what may stand is not closed
		e.lastMissedAt = in.Sent
	}
}

// countProvenProbe counts a try that had its effect.
func (e *effectBreaker) countProvenProbe() {
	if e.provenProbes++; e.provenProbes == provenEditsToClose {
		*e = effectBreaker{trialWait: firstTrialWait}
	}
}

// editAllowance returns how many edits may be sent now, and while the breaker is open
// why not more.
func (e *effectBreaker) allowance(now time.Time) (editAllowance, error) {
	if !e.isOpen {
		return allEdits, nil
	}
	err := fmt.Errorf("%d edits of the last hour had no effect although Slurm said yes: look at the intents (fairbridge explain JOB), at a job_submit plugin and at slurmctld's log; one edit at a time is tried, at %s or later",
		e.missedCount, e.lastMissedAt.Add(e.trialWait).UTC().Format(time.RFC3339))
	if e.isProbing || now.Before(e.lastMissedAt.Add(e.trialWait)) {
		return noEdits, err
	}
	return 1, err
}
