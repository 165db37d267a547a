package chaos

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// Breach is a sentence that was not true.
type Breach struct {
	Rule string // I1 to I22, or the name of an end condition
	Job  int64  // 0: none
	At   time.Duration
	Why  string
}

// String prints the breach in a line.
func (b Breach) String() string {
	return fmt.Sprintf("%s at %v, job %d: %s", b.Rule, b.At.Truncate(time.Millisecond), b.Job, b.Why)
}

// oracle judges what reaches Slurm.
type oracle struct {
	*trial
	book     *book
	now      *call
	undoing  bool
	breaches []Breach
	stops    []stop
	runs     map[string]time.Time // when a requeue was first sent, by run
	written  map[fieldOf]time.Time
	recent   []func() // how to forget the writes of the last seconds, by time
	times    []time.Time
	sent     map[string]int
	residue  map[string]int // breaches of what is known, by rule
	doubts   map[string]int
	back     time.Time      // the database knows nothing written after this and before it was restored
	renewed  time.Time      // when it was restored
	tardy    map[int64]bool // jobs that a late write reached
	seen     time.Time      // when usage was last recorded by the truth
	unseen   time.Duration  // how long ends of runs could not be seen
}

// call is a write of ours on its way.
type call struct {
	p    *proc
	e    slurm.Edit
	at   time.Time
	late bool // its process stood still, or had given it up, before Slurm got it
	mute bool // no answer came
	row  *bridge.Intent
}

func newOracle(t *trial) *oracle {
	return &oracle{trial: t, book: newBook(), runs: map[string]time.Time{}, written: map[fieldOf]time.Time{}, sent: map[string]int{}, doubts: map[string]int{}, residue: map[string]int{}, tardy: map[int64]bool{}, seen: t.began}
}

func (o *oracle) breach(rule string, job int64, format string, a ...any) {
	if _, known := Known[rule]; known && !o.All {
		o.residue[rule]++
		return
	}
	b := Breach{rule, job, o.w.Now().Sub(o.began), fmt.Sprintf(format, a...)}
	if o.w == nil || len(o.breaches) < 10 {
		o.breaches = append(o.breaches, b)
	}
	o.trace.note("BREACH %v", b)
	o.trace.freeze()
}

// during says whose call Slurm carries out until the returned function is called.
func (o *oracle) during(k *call) func() {
	was := o.now
	o.now = k
	return func() { o.now = was }
}

// logged takes every call that Slurm logs.
func (o *oracle) logged(w sim.Write) {
	e := o.book.of(&w.Before)
	after, err := o.w.Job(w.Job)
	if err != nil {
		after = w.Before
	}
	switch {
	case o.undoing:
	case slices.Contains(processes, w.By):
		o.arrives(e, &w, &after)
	case w.Do == "update" && w.Err == nil:
		o.book.person(e, w.By, &w.Asked, &w.Before, &after)
	default:
		o.book.count++
		e.edited = o.book.count
	}
}

// arrives takes a write of ours that reached Slurm.
func (o *oracle) arrives(e *entry, w *sim.Write, after *slurm.Job) {
	k := o.now
	if k == nil || k.p.name != w.By {
		o.breach("I2", w.Job, "%s wrote to Slurm without having asked for it", w.By)
		return
	}
	if k.late {
		o.tardy[w.Job] = true
	}
	o.onlyAsked(k, w)
	switch {
	case w.Err != nil:
	case w.Do == "requeue":
		if w.Before.State == "RUNNING" && !w.Before.Flag("COMPLETING") {
			o.stopped(k, &w.Before)
		}
	default:
		o.remember(e, w, after)
		o.book.ours(e, &w.Asked, after, o.w.Now())
		for _, f := range asked(&w.Asked) {
			e.marks[f].mute, e.marks[f].back = k.mute, k.e.Kind == slurm.Unlease
		}
	}
}

// remember keeps how to make Slurm forget a write, which a crash right after it
// does.
func (o *oracle) remember(e *entry, w *sim.Write, after *slurm.Job) {
	var undo sim.Update
	fields := asked(&w.Asked)
	if len(fields) != 1 || w.Asked.Hold != nil {
		return
	}
	f, kept := fields[0], *e.marks[fields[0]]
	switch f {
	case Begin:
		undo.Begin = sim.Ptr(w.Before.Eligible)
	case Nice:
		undo.Nice = sim.Ptr(w.Before.Nice)
	case Required:
		undo.Required = sim.Ptr(append([]string{}, w.Before.Required.Names...))
	default:
		return
	}
	undo.SLUID = after.SLUID
	o.times = append(o.times, o.w.Now())
	o.recent = append(o.recent, func() {
		if m := e.marks[f]; m.stands && o.w.Update("", e.id, undo) == nil {
			*m = kept
		}
	})
}

// forgets makes Slurm forget what we wrote since then.
func (o *oracle) forgets(since time.Time) {
	o.undoing = true
	defer func() { o.undoing = false }()
	for i := len(o.recent) - 1; i >= 0 && o.times[i].After(since); i-- {
		o.recent[i]()
	}
	o.recent, o.times = nil, nil
}

// restored notes what the database cannot know any more.
func (o *oracle) restored(at time.Time) {
	o.back, o.renewed = at, o.w.Now()
	o.unseen += o.w.Now().Sub(at)
	o.seen = minTime(o.seen, at)
	for _, e := range o.book.jobs {
		for _, m := range e.marks {
			m.shaky = true
			m.lost = m.lost || (m.stands || m.foreign) && !m.at.Before(at)
		}
	}
}

// shake notes that a write of ours gets no answer.
func (o *oracle) shake(k *call, strike Kind) {
	e := o.book.jobs[k.e.Run.Job]
	if e == nil || strike == "" && !k.late {
		return
	}
	if m := e.marks[fieldOfKind(k.e.Kind)]; m != nil {
		m.shaky = true
	}
}

// unsure is the name of a rule about a field of which the ledger could not know all.
func unsure(rule string, m *mark) string {
	if m != nil && m.shaky {
		return rule + " after a lost answer"
	}
	return rule
}

// unknowable reports whether the database was put back behind that moment.
func (o *oracle) unknowable(at time.Time) bool { return !at.Before(o.back) && at.Before(o.renewed) }

// row returns the ledger's row of an edit that is being sent.
func (o *oracle) rowOf(e slurm.Edit) *bridge.Intent {
	all, err := o.store.Intents(context.Background(), cluster, o.w.Now(), o.w.Now().Add(-30*time.Hour))
	if err != nil {
		return nil
	}
	for i := len(all) - 1; i >= 0; i-- {
		in := &all[i]
		if in.State == bridge.Sent && in.Edit.Run == e.Run && in.Edit.Kind == e.Kind {
			kept := *in
			return &kept
		}
	}
	return nil
}

// truthOf returns the job as it is.
func (o *oracle) truthOf(id int64) *slurm.Job {
	j, err := o.w.Job(id)
	if err != nil {
		return nil
	}
	return &j
}

// afterStep judges a step as a whole.
func (o *oracle) afterStep(p *proc, r *cycle.Report) {
	p.doubts = len(r.Doubts) > 0
	for _, d := range r.Doubts {
		o.doubts[d.Cause]++
	}
	for _, check := range stepRules {
		check(o, p, r)
	}
	p.looked(r)
}
