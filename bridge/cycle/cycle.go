package cycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
)

// Step runs one cycle and tells of it. Whatever fails leads to doubt, in which
// nothing more is pushed.
func (l *Loop) Step(ctx context.Context) Report {
	from := l.Now()
	r := Report{Result: ResultNothing}
	m, doubts := l.runCycle(ctx, l.memory, &r)
	if r.addDoubts(doubts); doubts != nil {
		m.GoodViews, r.endedBy = 0, doubts[0].Cause
	}
	r.Duration = l.Now().Sub(from)
	if errors.Is(ctx.Err(), context.Canceled) {
		r.markCutShort()
	}
	l.Metrics.setCycleEnd(&r, l.Now())
	m.LastLogged = logChanges(l.Log, m.LastLogged, &r)
	l.memory = m
	if l.OnCycleEnd != nil {
		l.OnCycleEnd(&r)
	}
	return r
}

// runCycle is one cycle: from what the last one remembered to what the next one is
// to remember. With doubts nothing follows from this poll; what else is doubtful,
// and what was done, is in the report.
func (l *Loop) runCycle(ctx context.Context, m Memory, r *Report) (Memory, []bridge.Doubt) {
	leads, doubts := l.takeLeadership(ctx, r)
	if doubts != nil {
		return m, doubts
	}
	if !leads {
		return m.forStandby(), nil
	}
	facts, doubts := l.observeCluster(ctx)
	if doubts != nil {
		return m, doubts
	}
	last, allowed := l.quiet, allEdits
	if l.quiet = nil; last.knowsAll(facts.View) {
		facts, m, doubts = l.learnAgain(ctx, last, facts.View, m, r)
	} else {
		last = nil
		facts, m, allowed, doubts = l.learnFacts(ctx, facts, m, r)
	}
	if doubts != nil {
		return m, doubts
	}
	s := l.newCycleState(facts, m, l.leader.LeadsUntil, allowed, r.Doubts)
	s.last, s.isCalm = last, len(r.Doubts)+len(r.Warnings) == 0
	r.PartitionResults, m = l.evaluatePartitions(ctx, s, m) // assemble, decide, gate and diff, for every partition
	l.Metrics.setPartitionResults(r.PartitionResults)
	l.requestFullRead(&facts, r.PartitionResults)
	r.addPlanDoubts()
	intents, m, doubts := l.storeIntents(ctx, s, m, r)
	if r.addDoubts(doubts); doubts == nil {
		m = l.pushIntents(ctx, s, m, r, intents)
	}
	l.releaseUnpushed(ctx, s, m, r)
	if l.IsSimulation {
		l.quiet = newQuietCycle(s, m, r)
	}
	return m, nil
}

// learnFacts is the part of a cycle that finds out what is to be known, the view at hand: from judging it to how many
// edits may be sent.
func (l *Loop) learnFacts(
	ctx context.Context, facts bridge.Facts, m Memory, r *Report,
) (bridge.Facts, Memory, editAllowance, []bridge.Doubt) {
	facts, m, doubts := l.judgeView(ctx, facts, m, r)
	if doubts != nil {
		return facts, m, noEdits, doubts
	}
	m = l.readDemotions(ctx, &l.Config, m, r) // first: a demotion chooses the policy, whose memory is read next
	facts, m, doubts = l.recordView(ctx, facts, m)
	if doubts != nil {
		return facts, m, noEdits, doubts
	}
	facts, doubts = l.settleIntents(ctx, facts)
	if doubts != nil {
		return facts, m, noEdits, doubts
	}
	r.View, m.GoodViews = facts.View, m.GoodViews+1
	facts = l.addMeasurements(ctx, facts, r)
	l.finishHandBacks(ctx, facts, r)
	facts.HasExpiryTimer = l.hasExpiryTimer(ctx, r)
	facts, m, allowed := l.decideEditAllowance(facts, m, r)
	return facts, m, allowed, nil
}

// Preview is the first part of a cycle, without what writes: it does not lead,
// nothing is recorded, closed or pushed, and the loop remembers nothing of it.
// The gate judges as if we led.
func (l *Loop) Preview(ctx context.Context) (*bridge.Facts, []PartitionResult, error) {
	var r Report // its warnings are not used
	facts, doubts := l.observeCluster(ctx)
	if doubts != nil {
		return nil, nil, doubts[0].Err
	}
	facts, m, doubts := l.judgeView(ctx, facts, l.memory, &r)
	if doubts != nil {
		return nil, nil, fmt.Errorf("%s: %w", doubts[0].Cause, doubts[0].Err)
	}
	m = l.readDemotions(ctx, &l.Config, m, &r)
	facts, m, doubts = l.addPast(ctx, facts, m)
	if doubts != nil {
		return nil, nil, doubts[0].Err
	}
	facts.Intents, _ = push.ReconcileIntents(facts.Intents, facts.View)
	facts.HasExpiryTimer = l.hasExpiryTimer(ctx, &r)
	facts = l.addMeasurements(ctx, facts, &r)
	m.GoodViews = l.WarmupPolls + 1 // a preview does not warm up
	facts, m, allowed := l.decideEditAllowance(facts, m, &r)
	s := l.newCycleState(facts, m, l.Now().Add(time.Hour), allowed, r.Doubts)
	s.allowedEdits = allEdits // it says what would be sent, and why it is not
	evaluations, _ := l.evaluatePartitions(ctx, s, m)
	return &facts, evaluations, nil
}

// takeLeadership takes or renews leadership.
func (l *Loop) takeLeadership(ctx context.Context, r *Report) (leads bool, doubts []bridge.Doubt) {
	holder, leads, err := l.leader.Acquire(ctx, l.Leadership)
	switch {
	case err != nil:
		return false, newDoubts(bridge.CauseLeaderUnknown, err)
	case leads:
		r.Epoch = l.leader.Epoch
	default:
		r.Result, r.LeaderName = ResultStandby, holder
	}
	return leads, nil
}

// finishHandBacks releases jobs that hand-backs of ours, which were cut off, left
// held.
func (l *Loop) finishHandBacks(ctx context.Context, f bridge.Facts, r *Report) {
	if err := push.FinishHandBacks(ctx, l.Cluster, ledger.UnfinishedHandBacks(f.Intents, f.View)); err != nil {
		r.addDoubt(bridge.CauseUnfinishedHandBack, err)
	}
}
