package cycle

import (
	"maps"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/intake"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// facts are what a cycle knows, with the index of the ledger.
type facts struct {
	bridge.Facts
	Book *ledger.Book // of Intents
}

// look is what the gate needs of a cycle, gathered once for all partitions.
type look struct {
	*facts
	loop    *Loop
	taken   time.Time
	state   gate.State // without what differs by partition
	runs    []slurm.Run
	touched map[slurm.JobField]time.Time
	written int  // tasks of the edits that earlier partitions got
	calm    bool // pushing is possible at all in this cycle
}

func newLook(l *Loop, f *facts, calm bool) *look {
	k := &look{facts: f, loop: l, calm: calm, taken: l.Now(), touched: map[slurm.JobField]time.Time{}}
	if !f.View.Read.IsZero() {
		k.taken = f.View.Read
	}
	k.state = gate.State{
		Config: l.Gate, Interval: l.Interval, Taken: k.taken, View: f.View, Modes: map[string]bridge.Mode{}, Expires: f.Expires,
		Stopped: map[int64][]time.Time{}, Leased: leased(f.Intents, f.View.At), Left: f.Left,
	}
	for i := range l.Partitions {
		k.state.Modes[l.Partitions[i].Name] = l.Partitions[i].Mode
	}
	if f.Past != nil {
		for id, past := range f.Past.Jobs {
			k.state.Stopped[id] = past.Preempted
		}
	}
	for i := range f.Intents {
		k.remember(&f.Intents[i])
	}
	k.runs = slices.AppendSeq(k.runs, maps.Keys(l.done.requeued))
	return k
}

// remember counts an earlier intent against the budgets.
func (k *look) remember(in *bridge.Intent) {
	if in.State == bridge.Void {
		return
	}
	e := &in.Edit
	if at := e.Writes(); in.Sent.After(k.touched[at]) {
		k.touched[at] = in.Sent
	}
	if e.Kind == slurm.Warn && k.View.At.Sub(in.Made) < 24*time.Hour {
		k.state.Warnings = append(k.state.Warnings, warningOf(in))
	}
	if e.Kind != slurm.Requeue {
		return
	}
	k.runs = append(k.runs, e.Run)
	if s := in.Before.Stop; s != nil && k.View.At.Sub(in.Made) < 24*time.Hour {
		stop := bridge.Stop{Job: e.Run.Job, StopCost: *s, At: in.Made}
		if in.State == bridge.Acked || in.State == bridge.Observed || in.State == bridge.Expired {
			stop.Sent = in.Sent
		}
		k.state.Stops = append(k.state.Stops, stop)
	}
}

// leased returns how long each job was leased altogether, by the begin times
// of ours that reached Slurm.
func leased(intents []bridge.Intent, now time.Time) map[int64]time.Duration {
	total := map[int64]time.Duration{}
	last := map[int64]*bridge.Intent{}
	end := func(in *bridge.Intent, at time.Time) {
		if in != nil && in.Edit.Kind == slurm.Lease {
			if in.Edit.Until.Before(at) {
				at = in.Edit.Until
			}
			total[in.Edit.Run.Job] += max(at.Sub(in.Sent), 0)
		}
	}
	for i := range intents { // by ID, so in the order they were sent
		in := &intents[i]
		if in.Edit.Kind.Field() != slurm.FieldBegin || in.Sent.IsZero() || in.State == bridge.Failed {
			continue
		}
		end(last[in.Edit.Run.Job], in.Sent)
		last[in.Edit.Run.Job] = in
	}
	for _, in := range last {
		end(in, now)
	}
	return total
}

func (k *look) assemble(p bridge.Partition, stuck map[int64]string) *policy.Snapshot {
	memo := k.Memos[p.Name]
	return intake.Assemble(intake.Known{
		View: k.View, Past: k.Past, Busy: k.Busy, Used: k.loop.used(), Book: k.Book,
		Seq: memo.Seq + 1, Memo: memo.Bytes, Opting: k.loop.Preempt, Speeds: k.loop.Speeds, Stuck: stuck,
	}, p)
}

// of returns the gate's state for a partition, as of now. A partition that only
// observes is judged in the mode it plans for; what comes of that is never
// sent.
func (k *look) of(t *Evaluation) gate.State {
	s := k.state
	s.Now, s.Partition, s.Snapshot = k.loop.Now(), t.Partition.Name, t.Snapshot
	s.Leadership = k.loop.leader.Until.Sub(s.Now)
	if t.Partition.Mode.Allows(bridge.Preempt) { // else nobody would ever be warned, and no stop be seen in the plan
		s.Notices = intake.Notices(&t.Partition, k.View)
	}
	if as := t.Partition.PlanMode(); as != t.Partition.Mode {
		s.Modes = maps.Clone(s.Modes)
		s.Modes[s.Partition] = as
	}
	return s
}

// plan passes a plan through the gate.
func (k *look) plan(t *Evaluation, plan *policy.Plan) {
	l, name := k.loop, t.Partition.Name
	out := gate.Plan(gate.PlanInput{State: k.of(t), Plan: plan, Last: l.last[name], Accepted: l.sent[name]})
	l.last[name] = plan
	t.Plan, t.Refused, t.Doubts, t.Stops, t.Warns = out.Plan, out.Refused, out.Doubts, out.Stops, out.Warns
	t.Pause = out.Pause
	t.Send = k.calm && len(out.Doubts) == 0 && t.Partition.Mode.Allows(bridge.Rank)
	if t.Send {
		l.sent[name] = out.Plan
	}
}

// edits passes edits through the gate. Only what is sent counts against the
// budgets of the partitions after it.
func (k *look) edits(t *Evaluation, edits []slurm.Edit) {
	mode := t.Partition.PlanMode()
	kept, refused := gate.Edits(gate.EditInput{
		State: k.of(t), Mode: mode, Edits: edits, Book: k.Book, Allowed: t.Stops, Warns: t.Warns,
		Requeued: k.runs, Touched: k.touched, Written: k.written,
	})
	t.Edits, t.Refused = kept, append(t.Refused, refused...)
	if !t.Send {
		return
	}
	for _, e := range kept {
		k.written += max(e.Tasks, 1)
		s := t.stop(e)
		if s == nil {
			continue
		}
		stop := bridge.Stop{Job: e.Run.Job, StopCost: *s, At: k.View.At}
		if e.Kind == slurm.Warn {
			k.state.Warnings = append(k.state.Warnings, gate.Warning{Run: e.Run, Stop: stop})
		} else {
			k.state.Stops = append(k.state.Stops, stop)
		}
	}
}

// stop returns what a requeue costs, or will after a warning, to be kept with
// the intent; nil for other edits.
func (t *Evaluation) stop(e slurm.Edit) *bridge.StopCost {
	var stops []bridge.Stop
	switch e.Kind {
	case slurm.Requeue:
		stops = t.Stops
	case slurm.Warn:
		for _, w := range t.Warns {
			stops = append(stops, w.Stop)
		}
	}
	for _, s := range stops {
		if s.Job == e.Run.Job {
			s.Signal = e.Signal
			return &s.StopCost
		}
	}
	return nil
}

// warningOf makes the gate's fact of a warning in the ledger.
func warningOf(in *bridge.Intent) gate.Warning {
	w := gate.Warning{Run: in.Edit.Run, Due: in.NotAfter, Stop: bridge.Stop{Job: in.Edit.Run.Job, At: in.Made}}
	if s := in.Before.Stop; s != nil {
		w.StopCost = *s
	}
	return w
}
