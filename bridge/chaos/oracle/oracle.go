package oracle

import (
	"slices"
	"time"

	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Trial is what the oracle may ask of a trial.
type Trial struct {
	Site     site.Site
	World    *sim.World // Slurm as it is
	Database Database
	Policy   func() (policy.Policy, error)       // a new one of the site's, which nothing spoils
	Stopped  func() (since time.Time, stop bool) // whether the STOP file is there
	Known    func(rule string) bool              // whether a breach of the rule is only counted; nil: none is
	Breached func(Breach)                        // is told of each breach
}

// Oracle judges what reaches Slurm and what stands there. It is told of everything
// as it happens.
type Oracle struct {
	Trial
	verdict     Verdict
	began       time.Time
	book        *book
	ledger      ledger
	usage       usage
	writes      lastWrites
	currentCall *Call                // which Slurm carries out at the moment
	stops       stopList             // requeues of ours that ended a run
	runs        map[string]time.Time // when a requeue was first sent, by run
	written     map[fieldOf]lastSent // how a field was last written
	late        map[int64]bool       // jobs that a late write reached
}

// New returns an oracle for a trial that begins now.
func New(t Trial) *Oracle {
	o := &Oracle{
		Trial: t, verdict: newVerdict(), began: t.World.Now(), book: newBook(),
		runs: map[string]time.Time{}, written: map[fieldOf]lastSent{}, late: map[int64]bool{},
	}
	o.ledger = ledger{db: t.Database, now: t.World.Now}
	o.usage = usage{db: t.Database, world: t.World, site: t.Site, seen: o.began}
	return o
}

// StartCall says whose call Slurm carries out until the returned function is called.
func (o *Oracle) StartCall(k *Call) func() {
	was := o.currentCall
	o.currentCall = k
	return func() { o.currentCall = was }
}

// NoteWrite takes every call that Slurm logs.
func (o *Oracle) NoteWrite(w sim.AuditEntry) {
	e := o.book.entryOf(&w.JobBefore)
	after, err := o.World.Job(w.JobID)
	if err != nil {
		after = w.JobBefore
	}
	switch {
	case o.writes.undoing:
	case slices.Contains(site.Processes, w.By):
		o.noteArrival(e, &w, &after)
	case w.Action == "update" && w.Err == nil:
		o.book.notePersonsWrite(e, w.By, &w.Update, &w.JobBefore, &after)
	default:
		o.book.count++
		e.edited = o.book.count
	}
}

// noteArrival takes a write of ours that reached Slurm.
func (o *Oracle) noteArrival(e *jobEntry, w *sim.AuditEntry, after *slurm.Job) {
	k := o.currentCall
	if k == nil || k.By.Name != w.By {
		o.Breach("I2", w.JobID, "%s wrote to Slurm without having asked for it", w.By)
		return
	}
	if k.Late {
		o.late[w.JobID] = true
	}
	if why := checkOnlyAskedWritten(k, w); why != "" {
		o.Breach("I2", w.JobID, "%s", why)
	}
	switch {
	case w.Err != nil:
	case w.Action == "requeue":
		if w.JobBefore.State == "RUNNING" && !w.JobBefore.HasFlag("COMPLETING") {
			o.checkStopped(k, &w.JobBefore)
		}
	default:
		o.writes.add(o.World, e, w, after)
		o.book.noteOurWrite(e, &w.Update, after, o.World.Now())
		for _, f := range fieldsOf(&w.Update) {
			e.marks[f].unanswered, e.marks[f].givenBack = k.Unanswered, k.Edit.Kind == slurm.EditUnlease
		}
	}
}

// NoteForgotten makes Slurm forget what we wrote since then, as a crash right after it
// does.
func (o *Oracle) NoteForgotten(since time.Time) { o.writes.undoSince(since) }

// NoteRestored notes that the database was put back as it was then, and cannot know
// any more what came after.
func (o *Oracle) NoteRestored(at time.Time) {
	o.ledger.restoredTo, o.ledger.renewed = at, o.World.Now()
	o.usage.noteRestored(at)
	for _, e := range o.book.jobs {
		for _, m := range e.marks {
			m.uncertain = true
			m.lost = m.lost || (m.stands || m.foreign) && !m.at.Before(at)
		}
	}
}

// NoteFailure notes that a call goes wrong on its way, so that its sender may have no
// answer.
func (o *Oracle) NoteFailure(k *Call) {
	e := o.book.jobs[k.Edit.Run.Job]
	if e == nil {
		return
	}
	if m := e.marks[fieldOfKind(k.Edit.Kind)]; m != nil {
		m.uncertain = true
	}
}

// NoteReread notes that a daemon reads a job again.
func (o *Oracle) NoteReread(d *Daemon, job int64) { d.rereadsByJob[job] = o.book.count }

// NoteRecorded notes that usage was recorded from what a daemon saw.
func (o *Oracle) NoteRecorded(d *Daemon) {
	if d.viewFaultSeen == "" {
		o.usage.noteRecorded()
	}
}

// RefreshBook brings the oracle's book up to date with all jobs.
func (o *Oracle) RefreshBook() {
	for _, j := range o.World.Jobs() {
		o.book.entryOf(&j)
	}
}

// HeldJobs are the jobs that are held, by whomever, sorted.
func (o *Oracle) HeldJobs() []int64 {
	return slices.DeleteFunc(o.book.ids(), func(id int64) bool { return o.book.jobs[id].hold == "" })
}

// actualJob returns the job as it is.
func (o *Oracle) actualJob(id int64) *slurm.Job {
	j, err := o.World.Job(id)
	if err != nil {
		return nil
	}
	return &j
}
