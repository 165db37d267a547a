package cycle

import (
	"context"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/policy"
)

// quietCycle is a cycle of a simulation that wanted nothing changed: of running jobs that they run
// on, of waiting ones that they wait. While Slurm shows the same, time alone can lead to something
// else by two ways: the policy wants something else, or a span that a rule looks back ends.
type quietCycle struct {
	state *cycleState
	snap  *policy.Snapshot
	plan  *policy.Plan // the policy's
	until time.Time    // no such span ends before; zero: not yet worked out
}

// newQuietCycle returns the cycle that ended if it was quiet, else nil.
func newQuietCycle(s *cycleState, m Memory, r *Report) *quietCycle {
	if r.Result != ResultNothing || len(r.Doubts)+len(r.Warnings)+len(r.Intents)+len(s.unwantedEdits) > 0 || len(r.PartitionResults) != 1 || len(s.partitions) != 1 {
		return nil
	}
	e := &r.PartitionResults[0]
	switch {
	case len(e.Edits)+len(e.Refusals)+len(e.Separations)+len(e.StuckReasonByJob)+len(m.MemoryByPartition[e.Partition.Name].AwaitedStartByJob) > 0,
		e.IdleStop != nil, e.Partition.StopIdleAfter > 0, e.NeedsFullRead, len(s.facts.UseByJob) > 0, s.allowedEdits != allEdits, e.Partition.Canary != nil, s.config.Order.AdminComment:
		return nil
	}
	isMore := func(d policy.Decision) bool { return d.Verb != policy.Keep && d.Verb != policy.Wait }
	isUnsettled := func(in bridge.Intent) bool { return in.State.IsOpen() }
	if slices.ContainsFunc(e.PolicyPlan.Decisions, isMore) || slices.ContainsFunc(s.facts.Intents, isUnsettled) {
		return nil
	}
	return &quietCycle{state: s, snap: e.Snapshot, plan: e.PolicyPlan}
}

// nextSpanEnd returns when the first span ends that a rule looks back or ahead, be the rule at work
// or not: from what happened to a job or an intent, as long as some rule looks. It may be too early,
// by a second where Slurm rounds, but not too late.
func nextSpanEnd(s *cycleState, snap *policy.Snapshot) time.Time {
	now, b := s.facts.View.At, &s.config.Budgets
	end := now.Add(24 * time.Hour)
	note := func(from time.Time, span time.Duration) {
		if at := from.Add(span - time.Second); !from.IsZero() && at.Before(end) && at.After(now.Add(-2*time.Second)) {
			end = at
		}
	}
	for i := range snap.Jobs {
		if j := &snap.Jobs[i]; !j.HoldsGPUs() {
			note(now, b.MaxPending-j.Waited(now))
		}
	}
	for i := range s.facts.View.Jobs {
		note(s.facts.View.Jobs[i].EligibleTime, 0)
	}
	spans := append([]time.Duration{b.YieldFor, b.EditCooldown, 2 * b.EditCooldown, b.Cooldown, b.ApartFor, editMemorySpan, maxResendAge, rewritePause, maxPinAge, push.MaxClosedIntentAge}, ledger.MemorySpans()...)
	isSmooth := !slices.ContainsFunc(s.facts.Intents, wentWrong) // then no rule counts what was sent against what went wrong
	for i := range s.facts.Intents {
		in := &s.facts.Intents[i]
		note(in.NotAfter, 0)
		note(in.Edit.Until, 0)
		if isSmooth {
			continue
		}
		for _, span := range spans {
			note(in.Made, span)
			note(in.Sent, span)
			note(in.Closed, span)
		}
	}
	return end
}

// wentWrong reports whether the intent did not go as it was to. Stops that did are looked back at by those only
// who are about to stop more, but for stops of idle jobs, which a quiet cycle knows none of.
func wentWrong(in bridge.Intent) bool {
	return in.State == bridge.IntentFailed || in.State == bridge.IntentYielded || in.State == bridge.IntentObserved && in.Error != "" ||
		in.Before.Rewritten != "" || in.Before.IsTopped
}

// StepAgain runs a cycle of a simulation in which Slurm shows the same as in the last one, but for the time,
// if that was quiet: the past is recalled and the policy decides. Where it wants the same again, and no rule can
// make anything else of that, the cycle is stored as Step stores it, and reported. Else nil is returned, and
// nothing was done: Step is to run it.
func (l *Loop) StepAgain(ctx context.Context) *Report {
	q := l.quiet
	if q == nil {
		return nil
	}
	if q.until.IsZero() {
		q.until = nextSpanEnd(q.state, q.snap)
	}
	if !l.Now().Before(q.until) {
		return nil
	}
	r, m := &Report{Result: ResultNothing}, l.memory
	if leads, doubts := l.takeLeadership(ctx, r); !leads || doubts != nil {
		return nil
	}
	s, view := *q.state, *q.state.facts.View
	view.At, view.ReservationsAt = l.Now(), l.Now()
	s.facts.View = &view
	var doubts []bridge.Doubt
	if s.facts, m, doubts = l.addPast(ctx, s.facts, m); doubts != nil {
		return nil
	}
	e := PartitionResult{Partition: s.partitions[0]}
	e.Snapshot = s.assembleSnapshot(e.Partition, nil)
	own := m.MemoryByPartition[e.Partition.Name]
	e.PolicyPlan, own.OverrunCount, e.Err = l.guards[e.Partition.Decider()].Decide(ctx, e.Snapshot, 0, own.OverrunCount)
	if e.Err != nil || !slices.EqualFunc(e.PolicyPlan.Decisions, q.plan.Decisions, isSameDecision) {
		return nil
	}
	e.Plan = e.PolicyPlan
	if _, err := l.storeCycle(ctx, &s, &e, nil); err != nil {
		return nil
	}
	l.memory, r.View, r.PartitionResults = m.withStoredCycle(e.Partition.Name, e.Snapshot.Seq), &view, []PartitionResult{e}
	return r
}

// isSameDecision reports whether two decisions differ in their reasons at most.
func isSameDecision(a, b policy.Decision) bool {
	return slices.Equal(a.On, b.On) && slices.Equal(a.BatchShares, b.BatchShares) && a.Job == b.Job && a.Verb == b.Verb && a.Rank == b.Rank && a.GPUs == b.GPUs && a.StoppedFor == b.StoppedFor && a.Beside == b.Beside &&
		a.Given == b.Given && a.BatchSize == b.BatchSize && a.AccumulationSteps == b.AccumulationSteps && a.EndsEarly == b.EndsEarly
}
