// Package oracle judges what our processes send to a simulated Slurm, and what of
// theirs stands there. It reads what Slurm itself logged of every write, keeps its
// own book of who wrote what, and was written from the sentences of the invariants
// I1 to I23 in docs/safety.md: each is a function of its own, with the sentence
// above it. Of our own code it uses the nouns, never the gate, the ledger or the
// diff: an error there must not be an error here.
package oracle

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// Trial is what the oracle may ask of a trial.
type Trial struct {
	Site          site.Site
	World         *sim.World // Slurm as it is
	Database      Database
	NewPolicy     func() (policy.Policy, error)       // a new one of the site's, which nothing spoils
	StopFileState func() (since time.Time, stop bool) // whether the STOP file is there
	IsKnownBreach func(Breach) bool                   // whether a breach is only counted; nil: none is
	OnBreach      func(Breach)                        // is told of each breach
}

// Oracle judges what reaches Slurm and what stands there. It is told of everything
// as it happens.
type Oracle struct {
	Trial
	verdict              Verdict
	startTime            time.Time
	jobBook              *jobBook
	ledger               ledger
	usageCheck           usageCheck
	writesSlurmMayForget writesSlurmMayForget
	currentCall          *Call                      // which Slurm carries out at the moment
	stops                stopList                   // requeues of ours that ended a run
	requeueTimeByRun     map[string]time.Time       // when a requeue was first sent, by run
	lastSentByField      map[jobField]lastSentWrite // how a field was last written
	shareTermsByJob      map[int64]shareTerms       // on which owners accepted neighbours, of jobs that were sent shards
}

// New returns an oracle for a trial that begins now.
func New(t Trial) *Oracle {
	o := &Oracle{
		Trial: t, verdict: newVerdict(), startTime: t.World.Now(), jobBook: newJobBook(),
		requeueTimeByRun: map[string]time.Time{}, lastSentByField: map[jobField]lastSentWrite{},
		shareTermsByJob: map[int64]shareTerms{},
	}
	o.ledger = ledger{database: t.Database, now: t.World.Now}
	o.usageCheck = usageCheck{database: t.Database, world: t.World, site: t.Site, lastRecorded: o.startTime}
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
	e := o.jobBook.entryForJob(&w.JobBefore)
	after, err := o.World.Job(w.JobID)
	if err != nil {
		after = w.JobBefore
	}
	o.RefreshJobBook() // a task that was split off before this inherits nothing of it
	switch {
	case o.writesSlurmMayForget.isUndoing:
	case slices.Contains(site.ProcessNames, w.ActingUser):
		o.noteWriteArrival(e, &w, &after)
	case w.Action == "update" && w.Err == nil:
		o.jobBook.noteForeignWrite(e, o.World.Now(), w.ActingUser, &w.Update, &w.JobBefore, &after)
	default:
		o.jobBook.changeCount++
		e.lastChangeNumber = o.jobBook.changeCount
	}
}

// noteWriteArrival takes a write of ours that reached Slurm.
func (o *Oracle) noteWriteArrival(e *jobEntry, w *sim.AuditEntry, after *slurm.Job) {
	k := o.currentCall
	if k == nil || k.SentBy.Name != w.ActingUser {
		o.AddBreach("I2", w.JobID, "%s wrote to Slurm without having asked for it", w.ActingUser)
		return
	}
	if why := checkWritesOnlyEdit(k, w); why != "" {
		o.AddBreach("I2", w.JobID, "%s", why)
	}
	switch {
	case w.Err != nil:
	case w.Action == "requeue":
		if w.JobBefore.State == "RUNNING" && !w.JobBefore.HasFlag("COMPLETING") {
			o.judgeStop(k, &w.JobBefore)
		}
	default:
		o.writesSlurmMayForget.addWrite(o.World, e, w, after)
		o.jobBook.noteOurWrite(e, &w.Update, after, o.World.Now())
		for _, f := range writtenFields(&w.Update) {
			m := e.stateByField[f]
			m.isWrittenLate = m.isWrittenLate || k.IsLate
			m.isUnanswered, m.isGivenBack = k.IsUnanswered, k.Edit.Kind == slurm.EditUnlease
			if read, ok := k.SentBy.rereadByJob[w.JobID]; ok && !k.IsLate {
				m.noteLostUnread(read, f)
			}
			if f == FieldRequiredNodes && k.IsLate && k.SentBy.settledNodesByJob[w.JobID] != shownValue(&w.JobBefore, f) {
				m.isLostToLate = true
			}
		}
	}
}

// ForgetWritesSince makes Slurm forget what we wrote since then, as a crash right after it
// does.
func (o *Oracle) ForgetWritesSince(since time.Time) { o.writesSlurmMayForget.undoSince(since) }

// NoteDatabaseRestored notes that the database was put back as it was then, and cannot know
// any more what came after.
func (o *Oracle) NoteDatabaseRestored(at time.Time) {
	o.ledger.noteRestored(at)
	o.usageCheck.noteDatabaseRestored(at)
	for _, e := range o.jobBook.entryByJob {
		for _, m := range e.stateByField {
			m.isLostByRestore = m.isLostByRestore || (m.isOursStanding || m.wasOverwritten) && !m.writtenAt.Before(at)
		}
	}
}

// NoteCallFailure notes that a call goes wrong on its way, so that its sender may have no
// answer.
func (o *Oracle) NoteCallFailure(k *Call) {
	e := o.jobBook.entryByJob[k.Edit.Run.Job]
	if e == nil {
		return
	}
	if m := e.stateByField[fieldOfKind(k.Edit.Kind)]; m != nil {
		m.lackedAnswer = true
	}
}

// NoteJobReread notes that a daemon reads a job again.
func (o *Oracle) NoteJobReread(d *Daemon, job int64) {
	read := jobRead{changeNumber: o.jobBook.changeCount, ownersValueByField: map[Field]string{}}
	if j := o.actualJob(job); j != nil {
		for f, m := range o.jobBook.entryForJob(j).stateByField {
			read.ownersValueByField[f] = m.readableValue()
		}
	}
	d.rereadByJob[job] = read
}

// NoteUsageRecorded notes that usage was recorded from what a daemon saw.
func (o *Oracle) NoteUsageRecorded(d *Daemon) {
	if d.TrueView.At.Before(o.usageCheck.lastRecorded) {
		o.usageCheck.cause = CauseOldView
	}
	for id, restarts := range d.restartsOfHiddenJobs {
		if j := o.actualJob(id); j != nil && j.Restarts > restarts {
			o.usageCheck.cause = CauseHiddenRequeue
		}
	}
	if d.seenViewFault == "" {
		o.usageCheck.noteUsageRecorded(d.TrueView.At)
	}
}

// RefreshJobBook brings the oracle's book up to date with all jobs.
func (o *Oracle) RefreshJobBook() {
	for _, j := range o.World.Jobs() {
		o.jobBook.entryForJob(&j)
	}
}

// HeldJobs are the jobs that are held, by whomever, sorted.
func (o *Oracle) HeldJobs() []int64 {
	return slices.DeleteFunc(o.jobBook.jobIDs(), func(id int64) bool { return o.jobBook.entryByJob[id].heldBy == "" })
}

// waitingJobs lists the jobs of the book that wait, and their entries.
func (o *Oracle) waitingJobs() iter.Seq2[*slurm.Job, *jobEntry] {
	return func(yield func(*slurm.Job, *jobEntry) bool) {
		for _, id := range o.jobBook.jobIDs() {
			if j := o.actualJob(id); j != nil && j.IsPending() && !yield(j, o.jobBook.entryForJob(j)) {
				return
			}
		}
	}
}

// actualJob returns the job as it is.
func (o *Oracle) actualJob(id int64) *slurm.Job {
	j, err := o.World.Job(id)
	if err != nil {
		return nil
	}
	return &j
}

// I27: a run is requeued only if Slurm, as it was when the daemon looked, would let it start again: its whole
// time limit fits before its deadline, as many nodes are up as it runs on, and nothing is left that it depends
// on.
func checkCanRestart(s *sendContext) string {
	isStop := s.ledgerRow != nil && s.ledgerRow.Before.Stop != nil
	if s.Edit.Kind != slurm.EditRequeue || s.wasChangedAfterReread || !isStop {
		return ""
	}
	view, up, deadline := s.SentBy.TrueView, 0, s.job.Deadline
	if end := view.At.Add(s.job.TimeLimit); !deadline.IsZero() && end.After(deadline) {
		return fmt.Sprintf("its limit of %v does not fit before its deadline %s", s.job.TimeLimit, formatTime(deadline))
	}
	for i := range view.Nodes {
		if n := &view.Nodes[i]; n.State != "DOWN" && len(n.Flags) == 0 {
			up++
		}
	}
	if need := len(s.job.Nodes.Names); up < need {
		return fmt.Sprintf("it needs %d nodes, and %d are up", need, up)
	}
	if s.job.Dependency.Text != "" {
		return "it would wait for " + s.job.Dependency.Text
	}
	return ""
}

// writesSlurmMayForget are the writes of ours that a crash of slurmctld could make it
// forget, by time.
type writesSlurmMayForget struct {
	undoFuncs  []func() // how to take each back
	writeTimes []time.Time
	isUndoing  bool
}

// addWrite keeps how to make Slurm forget a write.
func (l *writesSlurmMayForget) addWrite(world *sim.World, e *jobEntry, w *sim.AuditEntry, after *slurm.Job) {
	var undo sim.JobUpdate
	fields := writtenFields(&w.Update)
	if len(fields) != 1 || w.Update.Hold != nil {
		return
	}
	f, kept := fields[0], *e.stateByField[fields[0]]
	switch f {
	case FieldBegin:
		undo.BeginTime = sim.Ptr(w.JobBefore.EligibleTime)
	case FieldNice:
		undo.Nice = sim.Ptr(w.JobBefore.Nice)
	case FieldRequiredNodes:
		undo.RequiredNodes = sim.Ptr(append([]string{}, w.JobBefore.RequiredNodes.Names...))
	case FieldAdminComment:
		undo.AdminComment = &w.JobBefore.AdminComment
	case FieldGPUs:
		if n := askedShards(&w.JobBefore); n > 0 {
			undo.Shards = sim.Ptr(int(n))
			break
		}
		undo.GPUs, undo.GPUType = sim.Ptr(slurm.SumGRES(w.JobBefore.GresPerNode.List, "gpu")), sim.Ptr(askedGPUType(&w.JobBefore))
	default:
		return
	}
	undo.SLUID = after.SLUID
	l.writeTimes = append(l.writeTimes, world.Now())
	l.undoFuncs = append(l.undoFuncs, func() {
		if m := e.stateByField[f]; m.isOursStanding && world.Update("", e.id, undo) == nil {
			*m = kept
		}
	})
}

// undoSince takes back what was written since then.
func (l *writesSlurmMayForget) undoSince(since time.Time) {
	l.isUndoing = true
	defer func() { l.isUndoing = false }()
	for i := len(l.undoFuncs) - 1; i >= 0 && l.writeTimes[i].After(since); i-- {
		l.undoFuncs[i]()
	}
	l.undoFuncs, l.writeTimes = nil, nil
}
