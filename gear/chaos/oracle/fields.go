package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
	"fairbridge/replica/sim"
)

// I1: no mutation is ever sent to a job that has priority 0.
func checkNotHeld(s *sendContext) string {
	if s.job.IsHeld && !s.wasChangedAfterReread {
		return "it is held: " + s.job.Reason
	}
	return ""
}

// I2: no hold, no priority, no key but those of the order, leases and node lists in
// the default configuration.
func checkAllowedKind(s *sendContext) string {
	direct := s.oracle.Site.OrderLever == bridge.LeverPriority || s.oracle.Site.OrderLever == bridge.LeverAuto && s.oracle.Site.SlurmRelease < "24"
	switch s.Edit.Kind {
	case slurm.EditSiteFactor, slurm.EditNice, slurm.EditLease, slurm.EditUnlease, slurm.EditRequireNodes, slurm.EditExcludeNodes, slurm.EditRequeue:
		return ""
	case slurm.EditPriority, slurm.EditHandBackPriority:
		if direct {
			return ""
		}
	case slurm.EditAdminComment:
		if s.oracle.Site.TellsJobs {
			return ""
		}
	case slurm.EditSetGPUs:
		if s.oracle.Site.IsElastic || s.oracle.Site.SharesGPUs {
			return ""
		}
	case slurm.EditSetShards:
		if s.oracle.Site.Mode == bridge.ModeShare {
			return ""
		}
	}
	return "this site's configuration writes no " + string(s.Edit.Kind)
}

// checkWritesOnlyEdit is I2 at Slurm's end: a call writes the one field of its edit, and the
// value of the intent.
func checkWritesOnlyEdit(k *Call, w *sim.AuditEntry) string {
	fields := writtenFields(&w.Update)
	want := fieldOfKind(k.Edit.Kind)
	switch {
	case w.Action != "update":
	case k.Edit.Kind == slurm.EditHandBackPriority: // a hold, a release and the owner's nice, in three calls
	case len(fields) != 1 || fields[0] != want:
		return fmt.Sprintf("%v wrote %v", k.Edit, fields)
	}
	return ""
}

// I3: undo only values equal to what we wrote; whatever somebody else wrote after
// us is theirs, for a day.
func checkNoOverwrite(s *sendContext) string {
	f := fieldOfKind(s.Edit.Kind)
	m := s.jobEntry.stateByField[f]
	if m == nil || s.wasChangedAfterReread || f == FieldSiteFactor || f == FieldPriority || f == FieldAdminComment {
		return ""
	}
	if v := s.valueToWrite(f); m.wasOverwritten && v != m.ownersValue && !m.isLostByRestore && !m.isLostUnread {
		return fmt.Sprintf("somebody set its %s to %q after we had set %q: %s", f, m.ownersValue, m.ourValue, s.oracle.ledger.formatFieldRows(s.job.ID, f))
	}
	if f == FieldRequiredNodes || f == FieldExcludedNodes {
		now := map[Field]string{FieldRequiredNodes: formatNodes(s.job.RequiredNodes), FieldExcludedNodes: formatNodes(s.job.ExcludedNodes)}[f]
		if m.isOursStanding && now != m.ourValue {
			return fmt.Sprintf("its %s are %q, ours were %q", f, now, m.ourValue)
		}
	}
	return ""
}

// checkOwnAdminComment: a site's own admin_comment is never changed. Nobody at the site writes as we do, so that an
// older text of ours, in a task of an array or after a restart of slurmctld, is told from theirs.
func checkOwnAdminComment(s *sendContext) string {
	now := s.job.AdminComment
	if s.Edit.Kind == slurm.EditAdminComment && !s.wasChangedAfterReread && now != "" && !strings.HasPrefix(now, "fairbridge ") {
		return fmt.Sprintf("a site's own admin_comment is never changed: it is %q", now)
	}
	return ""
}

// I4: every lease lies in (now, now+Lmax], and total leased time per job is capped;
// none ends before the owner's own begin time.
func checkLeaseBounds(s *sendContext) string {
	own, _ := time.Parse(time.RFC3339, s.jobEntry.stateByField[FieldBegin].readableValue())
	now := s.now
	if m := s.jobEntry.stateByField[FieldBegin]; m.isLostByRestore || m.isWrittenLate { // a call that Slurm carried out late wrote over it
		own = time.Time{}
	}
	if fieldOfKind(s.Edit.Kind) != FieldBegin || s.wasChangedAfterReread {
		return ""
	}
	if own.After(now) && s.Edit.Until.Before(own) {
		return fmt.Sprintf("its owner wants it to begin at %s", formatTime(own))
	}
	length := s.Edit.Until.Sub(now)
	switch {
	case s.Edit.Kind == slurm.EditUnlease:
	case length <= 0 || length > s.budgets.LeaseMax:
		return fmt.Sprintf("it is %v long", length)
	case s.jobEntry.leasedTime > s.budgets.LeaseTotal+site.CycleInterval && len(s.lostSpans) == 0:
		return fmt.Sprintf("it was leased %v already, at most %v", s.jobEntry.leasedTime, s.budgets.LeaseTotal)
	}
	return ""
}

// mostTold is how many jobs are told in a cycle why they wait, whose calls come after all others.
const mostTold = 10

// I10: mutations are at most M per interval (and 2 % of jobs), at most 5 a second;
// records count, and of stops tasks. A field is not written again at once.
func checkEditRate(s *sendContext) string {
	if s.IsLate || s.SentBy.IsTool {
		return ""
	}
	c, live := s.budgets, 0
	for i := range s.SentBy.TrueView.Jobs {
		if !s.SentBy.TrueView.Jobs[i].IsDone() {
			live++
		}
	}
	most := min(c.MaxEdits, max(int(c.EditPercent*float64(live)/100), c.EditFloor), int(c.EditRate*site.CycleInterval.Seconds()))
	n, tells := s.SentBy.writeCount-s.SentBy.toldCount, s.Edit.Kind == slurm.EditAdminComment
	switch {
	case tells && s.SentBy.toldCount > mostTold:
		return fmt.Sprintf("%d jobs were told in this cycle, at most %d", s.SentBy.toldCount, mostTold)
	case !tells && s.SentBy.toldCount > 0:
		return "jobs were told before it"
	case !tells && n > max(most, 1):
		return fmt.Sprintf("%d records were written in this cycle, at most %d", n, most)
	}
	f := fieldOfKind(s.Edit.Kind)
	last, again := s.oracle.lastSentByField[jobField{s.job.ID, f}]
	unknown := last.isLate && last.daemon != s.SentBy // what another, which stood still, sent on its old leave
	if again && !unknown && s.now.Sub(last.sentAt) < c.EditCooldown && !s.mayGiveBack() && !s.isRepeat() {
		return fmt.Sprintf("its %s was written %v ago", f, s.now.Sub(last.sentAt))
	}
	return ""
}

// I12: node lists leave enough nodes, and keep every exclusion and requirement of
// the user.
func checkNodeLists(s *sendContext) string {
	if s.wasChangedAfterReread || s.Edit.Kind != slurm.EditRequireNodes && s.Edit.Kind != slurm.EditExcludeNodes {
		return ""
	}
	list := func(v string) []string { return strings.FieldsFunc(v, func(r rune) bool { return r == ',' }) }
	required, excluded := list(s.jobEntry.stateByField[FieldRequiredNodes].readableValue()), list(s.jobEntry.stateByField[FieldExcludedNodes].readableValue())
	if s.jobEntry.stateByField[FieldRequiredNodes].isLostToLate {
		required = nil
	}
	up := 0
	for _, n := range s.SentBy.TrueView.Nodes {
		in := slices.Contains(s.Edit.Nodes, n.Name)
		open := (n.State == "IDLE" || n.State == "MIXED" || n.State == "ALLOCATED") && len(n.Flags) == 0
		switch {
		case open && !in:
			up++
		case !open && in && s.Edit.Kind == slurm.EditRequireNodes && !slices.Contains(required, n.Name):
			return n.Name + " cannot start jobs"
		}
	}
	for _, n := range s.Edit.Nodes {
		if s.Edit.Kind == slurm.EditRequireNodes && slices.Contains(excluded, n) || s.Edit.Kind == slurm.EditExcludeNodes && slices.Contains(required, n) {
			return "its owner says otherwise of " + n
		}
	}
	if s.Edit.Kind == slurm.EditRequireNodes && len(required) > 0 && !s.mayGiveBack() {
		return "its owner named nodes: a run that begins now would shrink to them when they are given back"
	}
	own := map[slurm.EditKind][]string{slurm.EditRequireNodes: required, slurm.EditExcludeNodes: excluded}[s.Edit.Kind]
	for _, n := range own {
		if !slices.Contains(s.Edit.Nodes, n) && !s.jobEntry.stateByField[fieldOfKind(s.Edit.Kind)].isLostByRestore {
			return "its owner named " + n
		}
	}
	if s.Edit.Kind == slurm.EditExcludeNodes && !s.mayGiveBack() && float64(up) < s.budgets.NodeFactor*float64(max(1, s.job.NodeCount)) {
		return fmt.Sprintf("%d nodes are left", up)
	}
	return ""
}
