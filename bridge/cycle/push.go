package cycle

import (
	"context"
	"errors"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/push"
)

// push carries out the intents, and those of earlier cycles that are sent once
// more.
func (l *Loop) push(ctx context.Context, s *situation, m Memory, r *Report, intents []bridge.Intent) Memory {
	intents = failuresLast(intents, s.facts.Intents, s.facts.View.At)
	if s.allowed == allEdit {
		left := gate.EditBudget(&l.Budgets, s.facts.View, l.Interval) - countTasks(intents)
		intents = append(intents, withinBudget(s.resendable(r.Evaluations, l.leader.Epoch), left)...)
	}
	if len(intents) == 0 {
		return m
	}
	if r.Result != InDoubt {
		r.Result = Pushed
	}
	p := push.Pusher{Ports: l.Ports(), View: s.facts.View, IntentBook: s.book, CheckMayCall: l.MayPush, StopsAtFirstFailure: m.Failing}
	var err error
	if r.Intents, err = p.Push(ctx, intents); err != nil {
		r.doubt(bridge.CausePush, err)
	}
	m = m.withPushed(r.Intents, l.Now())
	m.Failing = errors.Is(err, push.ErrCallsFailing)
	return m
}
