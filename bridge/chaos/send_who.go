package chaos

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// I13: nothing is done on a view that is partial, filtered, or of another clock.
func (s *send) badView() string {
	if s.p.unwell != "" && !s.late && !s.p.tool {
		return "the daemon saw " + s.p.unwell
	}
	return ""
}

// I14: the epoch is current. Slurm cannot check it: a process that stood still
// between the leave to send and the sending is excused that one call.
func (s *send) notLeader() string {
	lead := s.store.lead
	if s.late || s.row == nil {
		return ""
	}
	if s.row.Epoch != lead.epoch || !s.w.Now().Before(lead.until) {
		return fmt.Sprintf("its epoch is %d; %s leads under %d until %s", s.row.Epoch, lead.holder, lead.epoch, stamp(lead.until))
	}
	return ""
}

// I15: exempt classes are never touched: exempt users and accounts, reservations,
// cron, heterogeneous, completing, deadline-near, partitions that are not ours;
// interactive jobs are ordered only.
func (s *send) exempt() string {
	j := s.j
	numbers := s.e.Kind == slurm.SiteFactor || s.e.Kind == slurm.Nice || s.e.Kind == slurm.Priority
	d := s.dressed(*j)
	switch {
	case s.raced:
		return ""
	case j.User == exempt || slices.Contains(s.Gate.ExemptAccounts, j.Account) || j.Partition() != managed:
		return fmt.Sprintf("user %s, account %s, partition %s", j.User, j.Account, j.Partition())
	case d.HetJob != 0 || d.Cron != "" || d.Reservation != "":
		return "it is " + j.Name
	case !d.Batch && !numbers && !s.restores():
		return "it is interactive"
	case j.Done() || j.Flag("COMPLETING"):
		return "it is " + j.State
	case s.e.Kind == slurm.Lease && !j.Deadline.IsZero() && s.e.Until.Add(j.Limit).After(j.Deadline):
		return "its deadline is " + stamp(j.Deadline)
	}
	return ""
}

// I16: no job that waits longer than the limit is leased or lowered.
func (s *send) waitedLong() string {
	waited := s.w.Now().Sub(s.b.arrived)
	if waited <= s.Gate.MaxPending+interval || s.raced || s.restores() || s.p.tool || s.repeats() {
		return ""
	}
	m := s.b.marks[fieldOfKind(s.e.Kind)]
	if m != nil && m.lost {
		return "" // what stood there the database does not know
	}
	was, _ := strconv.ParseInt(m0(m).ours, 10, 64)
	switch {
	case s.e.Kind == slurm.Lease,
		s.e.Kind == slurm.SiteFactor && (m.stands && s.e.Value < was || !m.stands && s.e.Value < 0),
		s.e.Kind == slurm.Nice && s.e.Value > s.j.Nice:
		return fmt.Sprintf("it has waited %v", waited)
	}
	return ""
}

func m0(m *mark) *mark {
	if m == nil {
		return &mark{}
	}
	return m
}

// I20: a mode sends nothing beyond what it allows.
func (s *send) beyondMode() string {
	need := bridge.Rank
	switch s.e.Kind {
	case slurm.Lease, slurm.Exclude, slurm.Require:
		need = bridge.Steer
	case slurm.Requeue:
		need = bridge.Preempt
	}
	if !s.Mode.Allows(need) && !(s.Mode.Allows(bridge.Rank) && s.restores()) {
		return "the mode is " + string(s.Mode)
	}
	return ""
}

// Write the intent, then act: the ledger has the edit as SENT, with its value.
func (s *send) unwritten() string {
	switch {
	case s.late:
	case s.row == nil:
		return "the ledger has no such intent marked SENT"
	case s.row.Edit.Value != s.e.Value || !s.row.Edit.Until.Equal(s.e.Until) || !slices.Equal(s.row.Edit.Nodes, s.e.Nodes):
		return fmt.Sprintf("the ledger says %v", s.row.Edit)
	}
	return ""
}

// Every job is read again right before anything is written to it.
func (s *send) unread() string {
	if _, read := s.p.read[s.j.ID]; !read {
		return "the job was not read again"
	}
	return ""
}

// The STOP file is honoured within a second.
func (s *send) stopFile() string {
	info, err := os.Stat(s.trial.stopFile)
	if err != nil || info == nil || s.late || s.p.tool {
		return ""
	}
	if s.w.Now().Sub(s.stopAt) > time.Second {
		return "the STOP file is there since " + stamp(s.stopAt)
	}
	return ""
}
