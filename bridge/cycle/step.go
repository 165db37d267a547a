package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// Step runs one cycle: lead, look, settle, think, and push what the gate lets
// through. Whatever fails leads to doubt, in which nothing more is pushed.
func (l *Loop) Step(ctx context.Context) Report {
	from := l.Now()
	r := Report{Result: Nothing}
	if l.lead(ctx, &r) {
		l.cycle(ctx, &r)
	}
	r.Took = l.Now().Sub(from)
	if errors.Is(ctx.Err(), context.Canceled) {
		r.cut()
	}
	l.Metrics.ended(&r, l.Now())
	l.teller.tell(&r)
	if l.Done != nil {
		l.Done(&r)
	}
	return r
}

func (l *Loop) lead(ctx context.Context, r *Report) bool {
	holder, held, err := l.leader.Acquire(ctx, l.Leadership)
	switch {
	case err != nil:
		r.doubt("leader", err)
	case !held:
		r.Result, r.Holder = Standby, holder
	default:
		r.Epoch = l.leader.Epoch
		return true
	}
	l.warm = 0
	if err == nil {
		l.ref = reference{} // too old to compare with by the time we lead
	}
	return false
}

func (l *Loop) cycle(ctx context.Context, r *Report) {
	f, ok := l.look(ctx, r)
	if !ok {
		l.warm = 0
		return
	}
	if err := push.FinishHandBacks(ctx, l.Cluster, ledger.UnfinishedHandBacks(f.Intents, f.View)); err != nil {
		r.doubt("hand_back", err)
	}
	l.warm++
	f.Expires = l.expires(ctx, r)
	allowed := l.calm(f, r)
	r.Evaluations = l.think(ctx, f, allowed != noEdit)
	for i := range r.Evaluations {
		t := &r.Evaluations[i]
		l.Metrics.evaluated(t)
		if t.Err != nil {
			r.doubt("policy", fmt.Errorf("partition %s: %w", t.Partition.Name, t.Err))
		}
		if t.Pause != "" {
			r.warn("stops "+t.Partition.Name, errors.New(t.Pause))
		}
		for _, d := range t.Doubts {
			r.doubt("gate "+string(d.Invariant), fmt.Errorf("partition %s: %s", t.Partition.Name, d.Why))
		}
	}
	l.act(ctx, f, r, allowed)
	l.unbind(ctx, f, r)
}

// look reads the world, judges what it sees, and only then records usage and
// settles what was open. ok is false in doubt.
func (l *Loop) look(ctx context.Context, r *Report) (f *facts, ok bool) {
	f = &facts{}
	var err error
	if f.View, err = l.observe(ctx); err != nil {
		r.doubt("slurm", err)
		return nil, false
	}
	from := l.Now()
	if !l.believe(ctx, f, r) {
		return nil, false
	}
	l.Metrics.took("judge", l.Now().Sub(from))
	from = l.Now()
	if err := l.record(ctx, f.View); err != nil {
		r.doubt("history", err)
		return nil, false
	}
	if err := l.recall(ctx, f); err != nil {
		r.doubt("history", err)
		return nil, false
	}
	l.Metrics.took("history", l.Now().Sub(from))
	if err := l.settle(ctx, f); err != nil {
		r.doubt("journal", err)
		return nil, false
	}
	if old := f.View.PartitionsOld; old != "" {
		r.warn("partitions", errors.New(old))
	}
	if f.View.Unreserved != "" {
		r.warn("reservations", errors.New(f.View.Unreserved))
	}
	if f.Busy, err = l.Probes.Sample(ctx, f.View); err != nil {
		r.warn("probes", err) // measurements are optional: policies fall back
	}
	return f, true
}

// observe polls Slurm and makes sure that it is the cluster we are set up for.
func (l *Loop) observe(ctx context.Context) (*slurm.View, error) {
	from := l.Now()
	v, err := l.Cluster.Observe(ctx)
	if err != nil {
		return nil, fmt.Errorf("polling Slurm: %w", err)
	}
	if v.Cluster == "" {
		v.Cluster = l.Config.Name
	}
	if v.Cluster != l.Config.Name {
		return nil, fmt.Errorf("slurmrestd speaks for cluster %q, the configuration for %q: correct slurm.url or cluster", v.Cluster, l.Config.Name)
	}
	l.Metrics.took("poll", l.Now().Sub(from))
	return v, nil
}

// record stores what the view shows of runs.
func (l *Loop) record(ctx context.Context, v *slurm.View) error {
	if err := l.History.Record(ctx, v); err != nil {
		return fmt.Errorf("recording runs: %w", err)
	}
	return nil
}

// recall reads what is known of the past.
func (l *Loop) recall(ctx context.Context, f *facts) error {
	var err error
	if f.Past, err = l.History.Past(ctx, f.View.Cluster, f.View.At); err != nil {
		return fmt.Errorf("reading usage history: %w", err)
	}
	f.Memos = map[string]bridge.Memo{}
	for _, p := range l.Partitions {
		memo, err := l.History.Memo(ctx, f.View.Cluster, p.Name)
		if err != nil {
			return fmt.Errorf("reading the last cycle of partition %s: %w", p.Name, err)
		}
		l.done.found(p.Name, memo.Seq, l.Now())
		f.Memos[p.Name] = memo.For(&p)
	}
	return nil
}

// settle closes the intents whose outcome the view shows.
func (l *Loop) settle(ctx context.Context, f *facts) error {
	now, changed := push.Reconcile(f.Intents, f.View)
	if err := push.Close(ctx, l.Journal, changed, l.Metrics.edited); err != nil {
		return err
	}
	l.Metrics.viewed(f.View, ledger.Unsettled(now, f.View))
	var err error
	f.Intents, err = push.Keep(ctx, l.Journal, l.leader.Epoch, now)
	f.Book = ledger.NewBook(f.Intents)
	return err
}

// act stores the cycle of every partition, then pushes what may be pushed.
func (l *Loop) act(ctx context.Context, f *facts, r *Report, allowed allowance) {
	var planned []bridge.Intent
	for i := range r.Evaluations {
		t := &r.Evaluations[i]
		if t.Err != nil {
			continue
		}
		edits := t.Edits
		if !t.Send {
			edits = nil
		}
		edits = allowed.of(edits)
		if len(edits) < len(t.Edits) && r.Result == Nothing {
			r.Result = Observed
		}
		intents, err := l.intend(ctx, f, t, edits)
		if err != nil {
			r.doubt("journal", err)
			return
		}
		planned = append(planned, intents...)
	}
	l.pushAll(ctx, f, r, planned, allowed)
}

// unnamed reports that nobody knows which cluster it is: a doubt where something
// could be sent to it.
func (l *Loop) unnamed(r *Report, err error) {
	if slices.ContainsFunc(l.Partitions, func(p bridge.Partition) bool { return p.Mode.Allows(bridge.Rank) }) {
		r.doubt("cluster", err)
	} else {
		r.warn("cluster", err)
	}
}

// calm returns how many edits may be sent in this cycle, whatever they are.
func (l *Loop) calm(f *facts, r *Report) allowance {
	if why := f.View.Unnamed; why != "" {
		l.unnamed(r, errors.New(why))
	}
	doubtful := len(r.Doubts) > 0
	people := contestOf(f.Intents, f.View)
	f.Left = people.left()
	if err := leftError(f.Left); err != nil {
		r.warn("foreign", err)
	}
	breaker := effectOf(f.Intents, f.View.At)
	allowed, err := breaker.allows(f.View.At)
	if err != nil {
		r.doubt("effect", err)
	}
	if err := people.site(); err != nil {
		r.doubt("foreign", err)
		allowed = noEdit
	}
	if err := l.done.putBack(l.Now()); err != nil {
		r.doubt("history", err)
		l.warm = 0
	}
	if push.Stopped(l.StopFile) {
		r.doubt("stop", fmt.Errorf("%s exists: remove it to let pushing go on", l.StopFile))
		allowed = noEdit
	}
	if doubtful || l.warm <= l.Warmup {
		return noEdit
	}
	return allowed
}

func (l *Loop) pushAll(ctx context.Context, f *facts, r *Report, planned []bridge.Intent, allowed allowance) {
	planned = unspoilt(planned, f)
	if allowed == allEdit {
		planned = append(planned, affordable(l.again(f, r.Evaluations), gate.WriteBudget(&l.Gate, f.View, l.Interval)-tasks(planned))...)
	}
	if len(planned) == 0 {
		return
	}
	if r.Result != InDoubt {
		r.Result = Pushed
	}
	p := push.Pusher{Ports: l.Ports(), View: f.View, Book: f.Book, May: l.MayPush, Careful: l.failing}
	var err error
	r.Intents, err = p.Push(ctx, planned)
	l.done.sent(r.Intents, l.Now())
	l.failing = errors.Is(err, push.ErrFailing)
	if err != nil {
		r.doubt("push", err)
	}
}

// intend stores the cycle of one partition with its intents, before anything
// is sent.
func (l *Loop) intend(ctx context.Context, f *facts, t *Evaluation, edits []slurm.Edit) ([]bridge.Intent, error) {
	c := t.cycle(l.leader.Epoch)
	if !l.Bare {
		if err := sign(c, t); err != nil {
			return nil, err
		}
	}
	c.Pushed = len(edits)
	intents := make([]bridge.Intent, len(edits))
	for i, e := range edits {
		j := f.View.Job(e.Run.Job)
		intents[i] = bridge.Intent{
			Cluster: c.Cluster, Epoch: c.Epoch, Cycle: c.Seq, Policy: c.Policy, Edit: e,
			Before: ledger.BeforeOf(f.Book, j, e, f.View.At), State: bridge.Planned,
			NotAfter: ledger.NotAfter(e), Made: f.View.At,
		}
		intents[i].Before.Stop = t.stop(e)
	}
	stored, err := l.Journal.Intend(ctx, c, intents)
	if err != nil {
		return nil, fmt.Errorf("storing cycle %d of partition %s: %w", c.Seq, c.Partition, err)
	}
	l.done.stored(c.Partition, c.Seq)
	return stored, nil
}
