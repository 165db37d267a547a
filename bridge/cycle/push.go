package cycle

import (
	"context"
	"errors"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/push"
)

// pushIntents carries out the intents, and those of earlier cycles that are sent once
// more.
func (l *Loop) pushIntents(ctx context.Context, s *cycleState, m Memory, r *Report, intents []bridge.Intent) Memory {
	intents = orderFailuresLast(intents, s.facts.Intents, s.facts.View.At)
	if s.allowedEdits == allEdits {
		left := gate.EditBudget(&l.Budgets, s.facts.View, l.Interval) - sumBudgetCosts(intents) - len(s.unwantedEdits)
		intents = append(intents, intentsWithinBudget(s.resendableIntents(r.PartitionResults, l.leader.Epoch), left)...)
	}
	if slices.ContainsFunc(intents, onlyTells) && len(unpushedEdits(l, s, m, r)) > 0 { // more is sent after these, and what only tells comes last: in another cycle
		intents = slices.DeleteFunc(intents, onlyTells)
	}
	if intents = orderTellingLast(intents); len(intents) == 0 {
		return m
	}
	if r.Result != ResultInDoubt {
		r.Result = ResultPushed
	}
	p := push.Pusher{Ports: l.PushPorts(), View: s.facts.View, IntentBook: s.book, CheckMayCall: l.CheckMayPush, StopsAtFirstFailure: m.WereCallsFailing,
		LooksForRewrites: true, Rewrites: recentRewrites(s.facts.Intents, l.Now())}
	var err error
	if r.Intents, err = p.Push(ctx, intents); err != nil {
		r.addDoubt(bridge.CausePushEndedEarly, err)
	}
	m = m.withPushedRequeues(r.Intents, l.Now())
	m.WereCallsFailing = errors.Is(err, push.ErrCallsFailing)
	return m
}
