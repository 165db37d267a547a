package cycle

import (
	"context"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// quietCycle is a cycle of a simulation after which nothing is under way: it was in no doubt, sent nothing,
// and no intent waits for its outcome. While Slurm shows the same, only time can make the next one know
// something else: when a span ends that a rule looks back.
type quietCycle struct {
	state  *cycleState
	result *PartitionResult
	until  time.Time // no such span ends before; zero: not yet worked out
	isIdle bool      // it wanted nothing changed: of running jobs that they run on, of waiting ones that they wait
}

// newQuietCycle returns the cycle that ended if it was quiet, else nil.
func newQuietCycle(s *cycleState, m Memory, r *Report) *quietCycle {
	isUnsettled := func(in *bridge.Intent) bool { return in.State.IsOpen() }
	if !s.isCalm || len(r.Doubts)+len(r.Intents)+len(s.unwantedEdits) > 0 ||
		len(r.PartitionResults) != 1 || len(s.partitions) != 1 || s.allowedEdits != allEdits ||
		s.partitions[0].Canary != nil || anyIntent(s.facts.Intents, isUnsettled) {
		return nil
	}
	e := &r.PartitionResults[0]
	q := &quietCycle{state: s, result: e, isIdle: r.Result == ResultNothing && len(r.Warnings) == 0}
	if s.last != nil {
		q.until, s.last = s.last.until, nil
	}
	isMore := func(d policy.Decision) bool { return d.Verb != policy.Keep && d.Verb != policy.Wait }
	switch {
	case len(e.Edits)+len(e.Refusals)+len(e.Separations)+len(e.StuckReasonByJob) > 0,
		len(m.MemoryByPartition[e.Partition.Name].AwaitedStartByJob) > 0,
		len(s.facts.UseByJob)+len(s.facts.MeasuredByNode) > 0,
		e.IdleStop != nil, e.Partition.StopIdleAfter > 0, e.NeedsFullRead, s.config.Order.AdminComment,
		slices.ContainsFunc(e.PolicyPlan.Decisions, isMore):
		q.isIdle = false
	}
	return q
}

// knowsAll reports whether a cycle that is shown this view would know what the quiet one did, but for the time.
func (q *quietCycle) knowsAll(v *slurm.View) bool {
	if q == nil || len(v.Jobs) == 0 {
		return false
	}
	was := q.state.facts.View
	if len(was.Jobs) != len(v.Jobs) || &was.Jobs[0] != &v.Jobs[0] {
		return false
	}
	if q.until.IsZero() {
		q.until = nextSpanEnd(q.state, q.result.Snapshot)
	}
	return v.At.Before(q.until)
}

// learnAgain is learnFacts for a cycle that knows what a quiet one did: it asks for the past and the measurements only.
func (l *Loop) learnAgain(
	ctx context.Context, q *quietCycle, v *slurm.View, m Memory, r *Report,
) (bridge.Facts, Memory, []bridge.Doubt) {
	f := q.state.facts
	f.View = v
	f, m, doubts := l.recordView(ctx, f, m)
	if doubts != nil {
		return f, m, doubts
	}
	r.View, m.Reference, m.GoodViews = v, ViewReference{View: v}, m.GoodViews+1
	f = l.addMeasurements(ctx, f, r)
	f.HasExpiryTimer = l.hasExpiryTimer(ctx, r)
	return f, m, nil
}

// isIdleAgain reports whether the policy wants what it wanted in an idle cycle that the new one knows no more than:
// no rule can make anything else of that.
func (s *cycleState) isIdleAgain(e *PartitionResult) bool {
	q := s.last
	return q != nil && q.isIdle && len(e.StuckReasonByJob) == 0 &&
		slices.EqualFunc(e.PolicyPlan.Decisions, q.result.PolicyPlan.Decisions, isSameDecision)
}

// nextSpanEnd returns when the first span ends that a rule looks back or ahead, be the rule at work
// or not: from what happened to a job or an intent, as long as some rule looks. It may be too early,
// by a second where Slurm rounds, but not too late.
func nextSpanEnd(s *cycleState, snap *policy.Snapshot) time.Time {
	now, b := s.facts.View.At, &s.config.Budgets
	end, floor := now.Add(24*time.Hour).Unix(), now.Unix()-3
	note := func(from time.Time, span time.Duration) { // in whole seconds, which is much faster
		if at := from.Unix() + int64(span/time.Second) - 1; at < end && at > floor {
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
	spans := append(ledger.MemorySpans(), b.YieldFor, b.EditCooldown, 2*b.EditCooldown, b.Cooldown, b.ApartFor,
		editMemorySpan, maxResendAge, rewritePause, maxPinAge, push.MaxClosedIntentAge)
	isSmooth := !anyIntent(s.facts.Intents, wentWrong) // then no rule counts what was sent against what went wrong
	for i := range s.facts.Intents {
		in := &s.facts.Intents[i]
		note(in.NotAfter, 0)
		note(in.Edit.Until, 0)
		note(in.Closed, push.MaxClosedIntentAge)
		if isSmooth {
			continue
		}
		for _, span := range spans {
			note(in.Made, span)
			note(in.Sent, span)
			note(in.Closed, span)
		}
	}
	return time.Unix(end, 0)
}

// wentWrong reports whether the intent did not go as it was to. Stops that did are looked back at by those only
// who are about to stop more, but for stops of idle jobs, which a quiet cycle knows none of.
func wentWrong(in *bridge.Intent) bool {
	return in.State == bridge.IntentFailed || in.State == bridge.IntentYielded ||
		in.State == bridge.IntentObserved && in.Error != "" || in.Before.Rewritten != "" || in.Before.IsTopped
}

// anyIntent reports whether one of the intents is such a one. They are large: none is copied.
func anyIntent(intents []bridge.Intent, isSuch func(*bridge.Intent) bool) bool {
	for i := range intents {
		if isSuch(&intents[i]) {
			return true
		}
	}
	return false
}

// isSameDecision reports whether two decisions differ in their reasons at most.
func isSameDecision(a, b policy.Decision) bool {
	return slices.Equal(a.On, b.On) && slices.Equal(a.BatchShares, b.BatchShares) && a.Job == b.Job &&
		a.Verb == b.Verb && a.Rank == b.Rank && a.GPUs == b.GPUs && a.StoppedFor == b.StoppedFor &&
		a.Beside == b.Beside && a.Given == b.Given && a.BatchSize == b.BatchSize &&
		a.AccumulationSteps == b.AccumulationSteps && a.EndsEarly == b.EndsEarly
}
