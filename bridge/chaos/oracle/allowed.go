package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/slurm"
)

// I13: nothing is done on a view that is partial, filtered, or of another clock.
func checkSoundView(s *send) string {
	if s.By.viewFaultSeen != "" && !s.Late && !s.By.IsTool {
		return "the daemon saw " + s.By.viewFaultSeen
	}
	return ""
}

// I14: the epoch is current. Slurm cannot check it: a process that stood still
// between the leave to send and the sending is excused that one call.
func checkIsLeader(s *send) string {
	if s.Late || s.row == nil {
		return ""
	}
	if holder, epoch, until := s.o.Database.Leader(); s.row.Epoch != epoch || !s.now.Before(until) {
		return fmt.Sprintf("its epoch is %d; %s leads under %d until %s", s.row.Epoch, holder, epoch, formatTime(until))
	}
	return ""
}

// I15: exempt classes are never touched: exempt users and accounts, reservations,
// cron, heterogeneous, completing, deadline-near, partitions that are not ours;
// interactive jobs are ordered only.
func checkNotExempt(s *send) string {
	j := s.job
	numbers := s.Edit.Kind == slurm.EditSiteFactor || s.Edit.Kind == slurm.EditNice || s.Edit.Kind == slurm.EditPriority
	d := s.o.Site.Shown(*j)
	switch {
	case s.afterRace:
		return ""
	case j.User == site.Exempt || slices.Contains(s.gate.ExemptAccounts, j.Account) || j.PartitionText() != site.Managed:
		return fmt.Sprintf("user %s, account %s, partition %s", j.User, j.Account, j.PartitionText())
	case d.HetJobID != 0 || d.Cron != "" || d.Reservation != "":
		return "it is " + j.Name
	case !d.IsBatch && !numbers && !s.mayRestore():
		return "it is interactive"
	case j.IsDone() || j.HasFlag("COMPLETING"):
		return "it is " + j.State
	case s.Edit.Kind == slurm.EditLease && !j.Deadline.IsZero() && s.Edit.Until.Add(j.TimeLimit).After(j.Deadline):
		return "its deadline is " + formatTime(j.Deadline)
	}
	return ""
}

// I16: no job that waits longer than the limit is leased or lowered.
func waitedLong(s *send) string {
	waited := s.now.Sub(s.entry.arrived)
	if waited <= s.gate.MaxPending+site.Interval || s.afterRace || s.mayRestore() || s.By.IsTool || s.isRepeat() {
		return ""
	}
	m := s.entry.marks[fieldOfKind(s.Edit.Kind)]
	if m != nil && m.lost {
		return "" // what stood there the database does not know
	}
	was, _ := strconv.ParseInt(markOrZero(m).ourValue, 10, 64)
	switch {
	case s.Edit.Kind == slurm.EditLease,
		s.Edit.Kind == slurm.EditSiteFactor && (m.stands && s.Edit.Value < was || !m.stands && s.Edit.Value < 0),
		s.Edit.Kind == slurm.EditNice && s.Edit.Value > s.job.Nice:
		return fmt.Sprintf("it has waited %v", waited)
	}
	return ""
}

func markOrZero(m *fieldMark) *fieldMark {
	if m == nil {
		return &fieldMark{}
	}
	return m
}

// I20: a mode sends nothing beyond what it allows.
func checkWithinMode(s *send) string {
	need := bridge.ModeRank
	switch s.Edit.Kind {
	case slurm.EditLease, slurm.EditExcludeNodes, slurm.EditRequireNodes:
		need = bridge.ModeSteer
	case slurm.EditRequeue:
		need = bridge.ModePreempt
	}
	if !s.o.Site.Mode.Allows(need) && !(s.o.Site.Mode.Allows(bridge.ModeRank) && s.mayRestore()) {
		return "the mode is " + string(s.o.Site.Mode)
	}
	return ""
}

// Write the intent, then act: the ledger has the edit as SENT, with its value.
func checkIntentStored(s *send) string {
	switch {
	case s.Late:
	case s.row == nil:
		return "the ledger has no such intent marked SENT"
	case s.row.Edit.Value != s.Edit.Value || !s.row.Edit.Until.Equal(s.Edit.Until) || !slices.Equal(s.row.Edit.Nodes, s.Edit.Nodes):
		return fmt.Sprintf("the ledger says %v", s.row.Edit)
	}
	return ""
}

// Every job is read again right before anything is written to it.
func checkJobReread(s *send) string {
	if _, read := s.By.rereadsByJob[s.job.ID]; !read {
		return "the job was not read again"
	}
	return ""
}

// The STOP file is honoured within a second.
func checkStopFile(s *send) string {
	since, stop := s.o.Stopped()
	if stop && !s.Late && !s.By.IsTool && s.now.Sub(since) > time.Second {
		return "the STOP file is there since " + formatTime(since)
	}
	return ""
}
