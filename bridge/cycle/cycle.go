package cycle

import (
	"context"
	"errors"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
)

// Step runs one cycle and tells of it. Whatever fails leads to doubt, in which
// nothing more is pushed.
func (l *Loop) Step(ctx context.Context) Report {
	from := l.Now()
	r := Report{Result: Nothing}
	m, err := l.cycle(ctx, l.memory, &r)
	if err != nil {
		r.fail(err)
		m.Good = 0
	}
	r.Took = l.Now().Sub(from)
	if errors.Is(ctx.Err(), context.Canceled) {
		r.cut()
	}
	l.Metrics.ended(&r, l.Now())
	m.Told = tell(l.Log, m.Told, &r)
	l.memory = m
	if l.Done != nil {
		l.Done(&r)
	}
	return r
}

// cycle is one cycle: from what the last one remembered to what the next one is
// to remember. An error means that nothing follows from this poll.
func (l *Loop) cycle(ctx context.Context, m Memory, r *Report) (Memory, error) {
	leads, err := l.lead(ctx, r)
	if err != nil {
		return m, err
	}
	if !leads {
		return m.standby(), nil
	}
	f, err := l.observe(ctx)
	if err != nil {
		return m, err
	}
	f, m, err = l.judge(ctx, f, m, r)
	if err != nil {
		return m, err
	}
	f, m, err = l.record(ctx, f, m)
	if err != nil {
		return m, err
	}
	f, err = l.settle(ctx, f)
	if err != nil {
		return m, err
	}
	m.Good++
	f = l.measure(ctx, f, r)
	l.finishHandBacks(ctx, f, r)
	f.Expires = l.expires(ctx, r)
	f, m, allowed := l.allow(f, m, r)
	s := l.situation(f, m, l.leader.Until, allowed)
	r.Evaluations, m = l.evaluate(ctx, s, m) // assemble, decide, gate, diff, for every partition
	l.doubtPlans(r)
	intents, m, err := l.intend(ctx, s, m, r)
	if err != nil {
		r.fail(err)
	} else {
		m = l.push(ctx, s, m, r, intents)
	}
	l.unbind(ctx, s, m, r)
	return m, nil
}

// Preview is the first part of a cycle, without what writes: nobody leads,
// nothing is recorded, closed or pushed, and the loop remembers nothing of it.
// The gate judges as if we led.
func (l *Loop) Preview(ctx context.Context) (*bridge.Facts, []Evaluation, error) {
	var r Report // of doubts that would not end a cycle
	f, err := l.observe(ctx)
	if err != nil {
		return nil, nil, errors.Unwrap(err)
	}
	f, m, err := l.judge(ctx, f, l.memory, &r)
	if err != nil {
		return nil, nil, err
	}
	f, m, err = l.recall(ctx, f, m)
	if err != nil {
		return nil, nil, errors.Unwrap(err)
	}
	f.Intents, _ = push.Reconcile(f.Intents, f.View)
	f.Expires = l.expires(ctx, &r)
	f = l.measure(ctx, f, &r)
	s := l.situation(f, m, l.Now().Add(time.Hour), allEdit)
	evaluations, _ := l.evaluate(ctx, s, m)
	return &f, evaluations, nil
}

// lead takes or renews leadership.
func (l *Loop) lead(ctx context.Context, r *Report) (leads bool, err error) {
	holder, leads, err := l.leader.Acquire(ctx, l.Leadership)
	switch {
	case err != nil:
		return false, bridge.Doubt{Cause: bridge.CauseLeader, Err: err}
	case leads:
		r.Epoch = l.leader.Epoch
	default:
		r.Result, r.Holder = Standby, holder
	}
	return leads, nil
}

// doubtPlans counts what became of the partitions, and reports what is doubtful
// about their plans.
func (l *Loop) doubtPlans(r *Report) {
	for i := range r.Evaluations {
		e := &r.Evaluations[i]
		l.Metrics.evaluated(e)
		if e.Err != nil {
			r.doubt(doubt(bridge.CausePolicy, "partition %s: %w", e.Partition.Name, e.Err))
		}
		if e.Pause != "" {
			r.warn(bridge.StopsCause(e.Partition.Name), errors.New(e.Pause))
		}
		for _, d := range e.Doubts {
			r.doubt(doubt(bridge.GateCause(d.Invariant), "partition %s: %s", e.Partition.Name, d.Why))
		}
	}
}

// finishHandBacks releases jobs that hand-backs of ours, which were cut off, left
// held.
func (l *Loop) finishHandBacks(ctx context.Context, f bridge.Facts, r *Report) {
	if err := push.FinishHandBacks(ctx, l.Cluster, ledger.UnfinishedHandBacks(f.Intents, f.View)); err != nil {
		r.doubt(bridge.Doubt{Cause: bridge.CauseHandBack, Err: err})
	}
}
