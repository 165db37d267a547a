package engine

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
)

// walk goes through the line of one round, once, and gives every entry its
// verdict.
type walk struct {
	*Round
	p       *Pipeline
	rules   Rules
	line    []*Entry
	judges  []judge
	given   int      // how often devices were given back, from 1; see kind.full
	victims []*Entry // running jobs that may be stopped; see findVictims
	leaving []*Entry // see enough
	barren  *int     // the least tier that found nobody to stop; nil: none yet
	tries   struct{ victims, nodes int }
	queue   queue
	insist  map[string]int // see wanted
}

// verdict is what becomes of an entry.
type verdict struct {
	verb  policy.Verb
	place int           // in the line, from 0
	aged  bool          // waited longer than the Rules let it
	late  time.Duration // by how much
	given policy.JobID  // For of the decision
	tier  int
	why   string
}

// judge says who may pass a blocked job.
type judge struct {
	lane
	entry *Entry
	why   string // it is blocked
	pass  func(*Entry, policy.Alloc) error
}

// lane is what jobs queue for. Jobs of any GPU type queue in every lane of
// their partition.
type lane struct{ partition, typ string }

func (l lane) meets(o lane) bool {
	return l.partition == o.partition && (l.typ == o.typ || l.typ == "" || o.typ == "")
}

func (e *Entry) lane() lane { return lane{e.Partition, e.Ask.GPUs.Type} }

func newWalk(p *Pipeline, r *Round, line []*Entry) *walk {
	return &walk{
		Round: r, p: p, rules: p.Rules.withDefaults(), line: line,
		given: 1, queue: queue{accounts: map[string]int{}},
	}
}

func (w *walk) run() {
	w.age()
	for i, e := range w.line {
		e.verdict.place = i
	}
	w.findVictims()
	w.unseat()
	w.shrink()
	for _, e := range w.line {
		switch {
		case e.verdict.verb != "": // stopped or resized already
		case w.elsewhere(e):
			w.move(e)
		case e.Active():
			w.keep(e)
		default:
			w.pending(e)
		}
	}
}

// pending decides on a job that does not run.
func (w *walk) pending(e *Entry) {
	switch {
	case e.Refused != nil:
		e.decide(policy.Hold, "is held back: "+e.Refused.Error())
	case e.Held != "":
		e.decide(policy.Wait, "cannot start: "+e.Held)
	case e.Stuck != "":
		e.decide(policy.Wait, "is not counted on to start: "+e.Stuck)
	case e.Eligible.After(w.Now):
		e.decide(policy.Wait, "may not start before "+e.Eligible.UTC().Format("2006-01-02 15:04:05 MST"))
	case e.Want == 0:
		w.wait(e, "gets no GPUs in this round")
	default:
		w.enter(e)
	}
}

// enter starts the job, or lets it wait and guard its turn.
func (w *walk) enter(e *Entry) {
	if err := w.Possible(e); err != nil {
		w.wait(e, "can never start as it is: "+err.Error()+", even if nothing ran")
		return
	}
	if w.p.Admit != nil {
		if e.Refused = w.p.Admit.Admit(w.Round, e); e.Refused != nil {
			e.decide(policy.Hold, "is held back: "+e.Refused.Error())
			return
		}
	}
	if w.shut(e) {
		return
	}
	if j := w.strict(e); j != nil {
		w.bar(e, w.because(func() string {
			return fmt.Sprintf("job %d is ahead, blocked, and may not be passed: it %s", j.entry.ID, j.why)
		}))
		return
	}
	on, err := w.seat(e)
	if err == nil {
		w.start(e, on)
		return
	}
	if w.displace(e) || w.pack(e) {
		return
	}
	why := w.because(func() string { return err.Error() + w.reaches(e) })
	w.bar(e, why)
	w.blocked(e, why)
}

// blocked lets the job guard its turn.
func (w *walk) blocked(e *Entry, why string) {
	w.guard(e, why)
	if l, ok := w.p.Backfill.(BlockedObserver); ok {
		l.Blocked(w.Round, e)
	}
}

// shut lets a job wait for the end of a maintenance or reservation that its
// limit reaches into. In strict order it keeps no job from passing: GPUs that it
// may not have before would idle until then.
func (w *walk) shut(e *Entry) bool {
	err := w.WindowError(e)
	if err == nil {
		return false
	}
	why := w.because(err.Error)
	w.wait(e, why)
	if w.p.Backfill != nil {
		w.blocked(e, why)
	}
	return true
}

// reaches names the first window that keeps the job off a node; "" where there
// is none.
func (w *walk) reaches(e *Entry) string {
	a := e.Gang()
	if w.Free.WindowsReached(a.Limit) == 0 {
		return ""
	}
	if s := w.none().ExplainWindows(e.Partition, a); s != nil {
		return "; " + s.Error()
	}
	return ""
}

// bar keeps the job from starting. Where it has room, be it on another GPU type
// than that of its lease, waiting is not enough: Slurm would start it.
func (w *walk) bar(e *Entry, why string) {
	if w.room(e) {
		e.decide(policy.Hold, w.because(func() string {
			return fmt.Sprintf("is held back as %s, although it has room: %s; %s", ordinal(w.queue.waiting+1), why, w.queue.ahead())
		}))
		w.enqueue(e)
		return
	}
	w.wait(e, why)
}

// room reports whether the job has room on whatever GPU type it asks.
func (w *walk) room(e *Entry) bool {
	if leased := e.Ask.GPUs.Type == "" && e.Grant.Run && e.Grant.Type != ""; !leased && w.full(e) != nil {
		return false
	}
	return w.Free.Fits(e.Partition, e.Job.Gang().Resized(e.Want))
}

// strict returns the judge whose lane nobody may pass, if the job is in it.
func (w *walk) strict(e *Entry) *judge {
	if w.p.Backfill != nil {
		return nil
	}
	i := slices.IndexFunc(w.judges, func(j judge) bool { return j.meets(e.lane()) })
	if i < 0 {
		return nil
	}
	return &w.judges[i]
}

// guard installs the judges of the first blocked job of a lane.
func (w *walk) guard(e *Entry, why string) {
	if slices.ContainsFunc(w.judges, func(j judge) bool { return j.lane == e.lane() }) {
		return
	}
	if w.p.Backfill == nil {
		w.judges = append(w.judges, judge{e.lane(), e, why, nil})
		return
	}
	if _, some := w.p.Backfill.(Reserver); !some || w.p.reserves(w.Round, e) {
		w.judges = append(w.judges, judge{e.lane(), e, why, w.p.Backfill.Behind(w.Round, e)})
	}
	if e.verdict.aged {
		w.judges = append(w.judges, judge{e.lane(), e, why, Reserve(w.Round, e, w.rules.Lengths(w.Round, e)).Pass})
	}
}
