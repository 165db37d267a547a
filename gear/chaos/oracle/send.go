package oracle

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// sendContext is a write at the moment it is sent, with what is true then.
type sendContext struct {
	*Call
	oracle                *Oracle
	job                   *slurm.Job
	jobEntry              *jobEntry
	wasChangedAfterReread bool // somebody changed the job after we read it: no release of Slurm could notice
	now                   time.Time
	budgets               *bridge.Budgets
	lostSpans             lostSpans // of the ledger
}

// lastSentWrite is when a field was sent something, and by whom; late, as of a call.
type lastSentWrite struct {
	sentAt time.Time
	daemon *Daemon
	isLate bool
}

// rule judges a write that is sent. What it returns is what is wrong, "" nothing.
type rule struct {
	id    string
	check func(*sendContext) string
}

// sendRules are asked in order about every write.
var sendRules = []rule{
	{"I1", checkNotHeld}, {"I2", checkAllowedKind}, {"I3", checkNoOverwrite}, {"I4", checkLeaseBounds}, {"I5", checkRequeueOnce},
	{"I6", checkRanEnough}, {"I8", checkBeneficiary}, {"I9", checkNoPingPong}, {"I10", checkEditRate}, {"I12", checkNodeLists},
	{"I13", checkSoundView}, {"I14", checkIsLeader}, {"I15", checkNotExempt}, {"I16", checkNotLongWaiting}, {"I20", checkWithinMode},
	{"I21", checkReservations}, {"I22", checkNoFutileStop}, {"I23", checkDeclaredSize}, {"I24", checkSharedGPU}, {"I25", checkServiceLeast}, {"I26", checkIdleStop},
	{"I27", checkCanRestart},
	{"site's own", checkOwnAdminComment}, {"journal", checkIntentStored}, {"reread", checkJobReread}, {"stop", checkStopFile},
}

// CheckSend judges a write right before it leaves.
func (o *Oracle) CheckSend(k *Call) {
	o.verdict.SentCountByKind[string(k.Edit.Kind)]++
	switch k.SentBy.writeCount++; k.Edit.Kind {
	case slurm.EditAdminComment:
		k.SentBy.toldCount++
	case slurm.EditRequeue, slurm.EditWarn:
		k.SentBy.writeCount += max(k.Edit.Tasks, 1) - 1
	}
	j := o.actualJob(k.Edit.Run.Job)
	if j == nil {
		return
	}
	k.ledgerRow = o.ledger.rowForEdit(k.Edit)
	s := &sendContext{Call: k, oracle: o, job: j, jobEntry: o.jobBook.entryForJob(j), now: o.World.Now(), budgets: &o.Site.Budgets,
		lostSpans: o.ledger.lostSpans,
	}
	s.wasChangedAfterReread = s.wasChangedSinceReread(j)
	cause := s.jobEntry.stateByField[fieldOfKind(k.Edit.Kind)].knownCause()
	if cause == "" && s.jobEntry.inTask != "" {
		cause = CauseSplitTask
	}
	for _, r := range sendRules {
		if why := r.check(s); why != "" {
			o.addBreachOf(cause, r.id, j.ID, "%s sends %v: %s", k.SentBy.Name, k.Edit, why)
			continue
		}
		s.countExcuses(r)
	}
	s.noteRequeue()
	o.lastSentByField[jobField{j.ID, fieldOfKind(k.Edit.Kind)}] = lastSentWrite{s.now, k.SentBy, k.IsLate}
}

// wasChangedSinceReread reports whether somebody changed the job after it was read again, so that the daemon could not notice.
func (s *sendContext) wasChangedSinceReread(j *slurm.Job) bool {
	return s.IsLate || s.oracle.jobBook.entryForJob(j).lastChangeNumber > s.SentBy.rereadByJob[j.ID].changeNumber
}

// isRepeat reports whether the edit was decided in an earlier cycle and had no
// answer: the same value twice does what it does once.
func (s *sendContext) isRepeat() bool {
	return s.ledgerRow != nil && s.ledgerRow.Made.Before(s.SentBy.TrueView.At)
}

// fieldOfKind is the field a kind of edit writes; "" for a requeue.
func fieldOfKind(k slurm.EditKind) Field {
	switch k {
	case slurm.EditLease, slurm.EditUnlease:
		return FieldBegin
	case slurm.EditNice:
		return FieldNice
	case slurm.EditSiteFactor:
		return FieldSiteFactor
	case slurm.EditPriority, slurm.EditHandBackPriority, slurm.EditHardHold:
		return FieldPriority
	case slurm.EditRequireNodes:
		return FieldRequiredNodes
	case slurm.EditExcludeNodes:
		return FieldExcludedNodes
	case slurm.EditAdminComment:
		return FieldAdminComment
	case slurm.EditSetGPUs, slurm.EditSetShards:
		return FieldGPUs
	}
	return ""
}

// valueToWrite is the value an edit writes.
func (s *sendContext) valueToWrite(f Field) string {
	switch f {
	case FieldBegin:
		return formatTime(s.Edit.Until)
	case FieldNice, FieldSiteFactor:
		return strconv.FormatInt(s.Edit.Value, 10)
	case FieldGPUs:
		if s.Edit.Kind == slurm.EditSetShards {
			return formatShards(s.Edit.Value)
		}
		return formatGPUs(s.Edit.Value, s.Edit.Text)
	case FieldAdminComment:
		return s.Edit.Text
	}
	return strings.Join(s.Edit.Nodes, ",")
}

// mayGiveBack reports whether the edit may be one that gives back: those do not wait.
func (s *sendContext) mayGiveBack() bool {
	f := fieldOfKind(s.Edit.Kind)
	m := s.jobEntry.stateByField[f]
	return s.Edit.Kind == slurm.EditUnlease || s.Edit.Kind == slurm.EditHandBackPriority || s.Edit.Kind == slurm.EditRequeue ||
		f == FieldSiteFactor && s.Edit.Value == 0 || m != nil && s.valueToWrite(f) == m.ownersValue
}

// Database is what the oracle reads of our database: the rows themselves, which
// no process of ours stands before.
type Database interface {
	Intents(ctx context.Context, cluster string, now, since time.Time) ([]bridge.Intent, error)
	Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error)
	Leader() (holder string, epoch int64, until time.Time)
}

// ledger is what stands in our ledger, and what cannot.
type ledger struct {
	database  Database
	now       func() time.Time
	lostSpans lostSpans // by when it was put back
}

// lostSpan is a time of which the database knows nothing, because it was put back.
type lostSpan struct {
	restorePoint time.Time // as of when it was put back
	restoredAt   time.Time // when it was
}

// noteRestored notes that the database is now as it was then. What it did not know then, because
// it had been put back before, it does not know now.
func (l *ledger) noteRestored(at time.Time) {
	l.lostSpans = append(l.lostSpans, lostSpan{restorePoint: at, restoredAt: l.now()})
}

// recentRows are those that may matter today.
func (l *ledger) recentRows() []bridge.Intent {
	all, err := l.database.Intents(context.Background(), site.ClusterName, l.now(), l.now().Add(-30*time.Hour))
	if err != nil {
		return nil
	}
	return all
}

// lostSpans are the times of which the database knows nothing.
type lostSpans []lostSpan

// has reports whether the database was put back behind that moment.
func (l lostSpans) has(at time.Time) bool {
	return slices.ContainsFunc(l, func(s lostSpan) bool { return !at.Before(s.restorePoint) && at.Before(s.restoredAt) })
}

// rowForEdit returns the row of an edit that is being sent; nil: there is none.
func (l *ledger) rowForEdit(e slurm.Edit) *bridge.Intent {
	all := l.recentRows()
	for i := len(all) - 1; i >= 0; i-- {
		in := &all[i]
		if in.State == bridge.IntentSent && in.Edit.Run == e.Run && in.Edit.Kind == e.Kind {
			kept := *in
			return &kept
		}
	}
	return nil
}

// liveFields are the fields for which the ledger says that a value of ours may stand.
func (l *ledger) liveFields() map[jobField]bool {
	live := map[jobField]bool{}
	all := l.recentRows()
	for i := range all {
		in := &all[i]
		if in.State == bridge.IntentObserved || in.State.IsOpen() {
			live[jobField{in.Edit.Run.Job, fieldOfKind(in.Edit.Kind)}] = true
		}
	}
	return live
}

// formatFieldRows is what the ledger has of a field.
func (l *ledger) formatFieldRows(id int64, f Field) string {
	var b strings.Builder
	all := l.recentRows()
	for i := range all {
		if in := &all[i]; in.Edit.Run.Job == id && fieldOfKind(in.Edit.Kind) == f {
			fmt.Fprintf(&b, "%v %s %s; ", in.Edit, in.State, in.Error)
		}
	}
	return b.String()
}
