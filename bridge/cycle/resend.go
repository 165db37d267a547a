package cycle

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/policy"
)

// maxResendAge is how long after an edit was decided it may be sent once more.
const maxResendAge = 10 * time.Minute

// resendableIntents returns the intents of this leader without an answer and, by this view,
// without effect that are sent once more as they are, those sent longest ago
// first. The same value twice does the same as once, also when the first call is
// carried out late; a new value would have to wait until that is excluded.
func (s *cycleState) resendableIntents(evaluations []PartitionResult, epoch int64) []bridge.Intent {
	now := s.clock()
	var out []bridge.Intent
	for i := range s.facts.Intents {
		in := &s.facts.Intents[i]
		switch {
		case in.Epoch != epoch || !ledger.MayRepeat(in):
		case now.Sub(in.Sent) < s.config.Budgets.EditCooldown || now.Sub(in.Made) > maxResendAge:
		case delaysStart(in) && in.Edit.Until.Sub(s.facts.View.At) < s.config.Budgets.LeaseMin:
		case s.isStillWanted(in, evaluations):
			out = append(out, *in)
		}
	}
	slices.SortStableFunc(out, func(a, b bridge.Intent) int { return a.Sent.Compare(b.Sent) })
	return out
}

// sumBudgetCosts is what the intents take of an interval's edit budget.
func sumBudgetCosts(intents []bridge.Intent) int {
	n := 0
	for i := range intents {
		n += actuator.BudgetCost(intents[i].Edit)
	}
	return n
}

// intentsWithinBudget returns as many of the first intents as fit what is left of an
// interval's edit budget.
func intentsWithinBudget(intents []bridge.Intent, left int) []bridge.Intent {
	for i := range intents {
		if left -= actuator.BudgetCost(intents[i].Edit); left < 0 {
			return intents[:i]
		}
	}
	return intents
}

// isStillWanted reports whether every plan that knows the job is being carried out, and
// a lease still is what one of them wants.
func (s *cycleState) isStillWanted(in *bridge.Intent, evaluations []PartitionResult) bool {
	f := &s.facts
	j := f.View.Job(in.Edit.Run.Job)
	if j == nil || f.LeftAloneReasonByUser[j.User] != "" || s.book.YieldedIntent(j.CurrentRun(), f.View.At) != nil {
		return false
	}
	known, held := false, false
	for i := range evaluations {
		e := &evaluations[i]
		if e.Plan == nil || e.Snapshot.Job(policy.JobID(j.ID)) == nil {
			continue
		}
		if !e.MaySendEdits || !e.Partition.Mode.Allows(actuator.EditKindRowOf(in.Edit.Kind).NeededMode) {
			return false
		}
		known, held = true, held || e.wantsHold(j.ID)
	}
	return known && (held || !delaysStart(in))
}

// delaysStart reports whether the intent keeps its job from starting for some time.
func delaysStart(in *bridge.Intent) bool {
	f, _ := in.Edit.Kind.Form()
	return f.NeedsFutureUntil
}

// wantsHold reports whether the plan wants the job held.
func (e *PartitionResult) wantsHold(job int64) bool {
	return slices.ContainsFunc(e.Plan.Decisions, func(d policy.Decision) bool {
		return int64(d.Job) == job && d.Verb == policy.Hold
	})
}

// orderFailuresLast puts the edits of jobs to which nothing failed lately before the
// others, so that a job that is refused again and again keeps no other waiting.
func orderFailuresLast(planned, earlier []bridge.Intent, now time.Time) []bridge.Intent {
	failed := map[int64]bool{}
	for i := range earlier {
		if in := &earlier[i]; in.State == bridge.IntentFailed && now.Sub(in.Sent) < editMemorySpan && !actuator.EditKindRowOf(in.Edit.Kind).OnlyTells {
			failed[in.Edit.Run.Job] = true
		}
	}
	late := func(in bridge.Intent) int {
		if failed[in.Edit.Run.Job] {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(planned, func(a, b bridge.Intent) int { return late(a) - late(b) })
	return planned
}
