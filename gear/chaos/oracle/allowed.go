package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// I13: nothing is done on a view that is partial, filtered, or of another clock, and no job
// is stopped or warned on one of which some records are old.
func checkSoundView(s *sendContext) string {
	switch {
	case s.IsLate || s.SentBy.IsTool:
	case s.SentBy.seenViewFault != "":
		return "the daemon saw " + s.SentBy.seenViewFault
	case (s.Edit.Kind == slurm.EditRequeue || s.Edit.Kind == slurm.EditWarn) && !s.SentBy.sawWholeList:
		return "the daemon saw no whole list"
	}
	return ""
}

// I14: the epoch is current. Slurm cannot check it: a process that stood still
// between the leave to send and the sending is excused that one call.
func checkIsLeader(s *sendContext) string {
	if s.IsLate || s.ledgerRow == nil {
		return ""
	}
	if holder, epoch, until := s.oracle.Database.Leader(); s.ledgerRow.Epoch != epoch || !s.now.Before(until) {
		return fmt.Sprintf("its epoch is %d; %s leads under %d until %s", s.ledgerRow.Epoch, holder, epoch, formatTime(until))
	}
	return ""
}

// I15: exempt classes are never touched: exempt users and accounts, reservations,
// cron, heterogeneous, completing, deadline-near, partitions that are not ours;
// interactive jobs are ordered, and told why they wait, and nothing else.
func checkNotExempt(s *sendContext) string {
	j := s.job
	numbers := s.Edit.Kind == slurm.EditSiteFactor || s.Edit.Kind == slurm.EditNice || s.Edit.Kind == slurm.EditPriority || s.Edit.Kind == slurm.EditAdminComment
	d := s.oracle.Site.ShownJob(*j)
	switch {
	case s.wasChangedAfterReread:
		return ""
	case j.User == site.ExemptUser || slices.Contains(s.budgets.ExemptAccounts, j.Account) || !s.oracle.Site.IsManaged(j.Partitions):
		return fmt.Sprintf("user %s, account %s, partition %s", j.User, j.Account, j.PartitionText())
	case d.HetJobID != 0 || d.Cron != "" || d.Reservation != "":
		return "it is " + j.Name
	case !d.IsBatch && !numbers && !s.mayGiveBack():
		return "it is interactive"
	case j.State == "PENDING" && j.HasFlag("COMPLETING") && s.mayGiveBack(): // it was requeued, and Slurm takes it
	case j.IsDone() || j.HasFlag("COMPLETING"):
		return "it is " + j.State
	case s.Edit.Kind == slurm.EditLease && !j.Deadline.IsZero() && s.Edit.Until.Add(j.TimeLimit).After(j.Deadline):
		return "its deadline is " + formatTime(j.Deadline)
	}
	return ""
}

// I16: no job that waits longer than the limit is leased or lowered.
func checkNotLongWaiting(s *sendContext) string {
	waited := s.now.Sub(s.jobEntry.waitsSince)
	if waited <= s.budgets.MaxPending+site.CycleInterval || s.wasChangedAfterReread || s.mayGiveBack() || s.SentBy.IsTool || s.isRepeat() {
		return ""
	}
	m := s.jobEntry.stateByField[fieldOfKind(s.Edit.Kind)]
	if m != nil && m.isLostByRestore {
		return "" // what stood there the database does not know
	}
	was, _ := strconv.ParseInt(fieldStateOrZero(m).ourValue, 10, 64)
	switch {
	case s.Edit.Kind == slurm.EditLease,
		s.Edit.Kind == slurm.EditSiteFactor && (m.isOursStanding && s.Edit.Value < was || !m.isOursStanding && s.Edit.Value < 0),
		s.Edit.Kind == slurm.EditNice && s.Edit.Value > s.job.Nice:
		return fmt.Sprintf("it has waited %v", waited)
	}
	return ""
}

func fieldStateOrZero(m *fieldState) *fieldState {
	if m == nil {
		return &fieldState{}
	}
	return m
}

// I20: a mode sends nothing beyond what it allows.
func checkWithinMode(s *sendContext) string {
	need := bridge.ModeRank
	switch s.Edit.Kind {
	case slurm.EditLease, slurm.EditExcludeNodes, slurm.EditRequireNodes:
		need = bridge.ModeSteer
	case slurm.EditRequeue:
		need = bridge.ModePreempt
		if s.Edit.Value > 0 {
			need = bridge.ModeElastic
		}
	case slurm.EditSetGPUs:
		need = bridge.ModeElastic
	case slurm.EditSetShards:
		need = bridge.ModeShare
	}
	if !s.oracle.Site.Mode.Allows(need) && !(s.oracle.Site.Mode.Allows(bridge.ModeRank) && s.mayGiveBack()) {
		return "the mode is " + string(s.oracle.Site.Mode)
	}
	return ""
}

// Write the intent, then act: the ledger has the edit as SENT, with its value.
func checkIntentStored(s *sendContext) string {
	switch {
	case s.IsLate:
	case s.ledgerRow == nil:
		return "the ledger has no such intent marked SENT"
	case s.ledgerRow.Edit.Value != s.Edit.Value || !s.ledgerRow.Edit.Until.Equal(s.Edit.Until) || !slices.Equal(s.ledgerRow.Edit.Nodes, s.Edit.Nodes) || s.ledgerRow.Edit.Text != s.Edit.Text:
		return fmt.Sprintf("the ledger says %v", s.ledgerRow.Edit)
	}
	return ""
}

// Every job is read again right before anything is written to it.
func checkJobReread(s *sendContext) string {
	if _, read := s.SentBy.rereadByJob[s.job.ID]; !read {
		return "the job was not read again"
	}
	return ""
}

// The STOP file is honoured within a second.
func checkStopFile(s *sendContext) string {
	since, stop := s.oracle.StopFileState()
	if stop && !s.IsLate && !s.SentBy.IsTool && s.now.Sub(since) > time.Second {
		return "the STOP file is there since " + formatTime(since)
	}
	return ""
}
