package oracle

import (
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// send is a write at the moment it is sent, with what is true then.
type send struct {
	*Call
	o         *Oracle
	job       *slurm.Job
	entry     *jobEntry
	afterRace bool // somebody changed the job after we read it: no release of Slurm could notice
	now       time.Time
	gate      *bridge.Budgets
}

// lastSent is when a field was sent something, and by whom; late, as of a call.
type lastSent struct {
	at   time.Time
	by   *Daemon
	late bool
}

// rule judges a write that is sent. What it returns is what is wrong, "" nothing.
type rule struct {
	id    string
	check func(*send) string
}

// sendRules are asked in order about every write.
var sendRules = []rule{
	{"I1", checkNotHeld}, {"I2", checkOneField}, {"I3", checkNoOverwrite}, {"I4", checkLeaseBounds}, {"I5", checkRequeueOnce},
	{"I6", checkRanEnough}, {"I8", beneficiary}, {"I9", checkNoPingPong}, {"I10", tooMuch}, {"I12", checkNodeLists},
	{"I13", checkSoundView}, {"I14", checkIsLeader}, {"I15", checkNotExempt}, {"I16", waitedLong}, {"I20", checkWithinMode},
	{"I21", checkReservations}, {"I22", checkNotInVain},
	{"journal", checkIntentStored}, {"reread", checkJobReread}, {"stop", checkStopFile},
}

// CheckSend judges a write right before it leaves.
func (o *Oracle) CheckSend(k *Call) {
	o.verdict.Sent[string(k.Edit.Kind)]++
	k.By.writeCount += max(k.Edit.Tasks, 1)
	j := o.actualJob(k.Edit.Run.Job)
	if j == nil {
		return
	}
	k.row = o.ledger.rowOf(k.Edit)
	s := &send{Call: k, o: o, job: j, entry: o.book.entryOf(j), now: o.World.Now(), gate: &o.Site.Gate}
	s.afterRace = k.Late || s.entry.edited > k.By.rereadsByJob[j.ID]
	for _, r := range sendRules {
		if why := r.check(s); why != "" {
			o.Breach(uncertainRuleOf(r.id, s), j.ID, "%s sends %v: %s", k.By.Name, k.Edit, why)
		}
	}
	o.written[fieldOf{j.ID, fieldOfKind(k.Edit.Kind)}] = lastSent{s.now, k.By, k.Late}
}

// uncertainRuleOf is the name of a rule that is broken by a write.
func uncertainRuleOf(id string, s *send) string {
	if id != "I3" {
		return id
	}
	return uncertainRule(id, s.entry.marks[fieldOfKind(s.Edit.Kind)])
}

// isRepeat reports whether the edit was decided in an earlier cycle and had no
// answer: the same value twice does what it does once.
func (s *send) isRepeat() bool { return s.row != nil && s.row.Made.Before(s.By.Truth.At) }

// fieldOfKind is the field a kind of edit writes; "" for a requeue.
func fieldOfKind(k slurm.EditKind) Field {
	switch k {
	case slurm.EditLease, slurm.EditUnlease:
		return Begin
	case slurm.EditNice:
		return Nice
	case slurm.EditSiteFactor:
		return Site
	case slurm.EditPriority, slurm.EditHandBackPriority, slurm.EditHardHold:
		return Priority
	case slurm.EditRequireNodes:
		return Required
	case slurm.EditExcludeNodes:
		return Excluded
	}
	return ""
}

// wantedValue is the value an edit writes.
func (s *send) wantedValue(f Field) string {
	switch f {
	case Begin:
		return formatTime(s.Edit.Until)
	case Nice, Site:
		return strconv.FormatInt(s.Edit.Value, 10)
	}
	return strings.Join(s.Edit.Nodes, ",")
}

// mayRestore reports whether the edit may be one that gives back: those do not wait.
func (s *send) mayRestore() bool {
	f := fieldOfKind(s.Edit.Kind)
	m := s.entry.marks[f]
	return s.Edit.Kind == slurm.EditUnlease || s.Edit.Kind == slurm.EditHandBackPriority || s.Edit.Kind == slurm.EditRequeue ||
		f == Site && s.Edit.Value == 0 || m != nil && s.wantedValue(f) == m.ownersValue
}
