package gate_test

import (
	"maps"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
)

// tellingText is a text that a job is told.
const tellingText = "fairbridge 2 Mar 12:00 UTC: waits as 3rd of 12 in gpu; others are ahead of it"

// tell is an edit of job 2's admin_comment.
func tell(text string) func(*gate.CommonInput) slurm.Edit {
	return func(s *gate.CommonInput) slurm.Edit {
		e := edit(s, 2, slurm.EditAdminComment)
		e.Text = text
		return e
	}
}

// told lets job 2 have a text of ours.
func told(in *gate.EditInput) {
	e := tell(tellingText)(&in.CommonInput)
	viewJob(&in.CommonInput, 2).AdminComment = tellingText
	stands(in, e, bridge.JobBefore{}, bridge.IntentObserved)
}

// alsoIn lets job 2, which was told, first be the business of another partition in the mode.
func alsoIn(m bridge.Mode) func(*gate.EditInput) {
	return func(in *gate.EditInput) {
		told(in)
		j := viewJob(&in.CommonInput, 2)
		j.Partitions = append([]string{"before"}, j.Partitions...)
		in.ModeByPartition = maps.Clone(in.ModeByPartition)
		in.ModeByPartition["before"] = m
	}
}

// editCases are single edits with one thing changed before (the edit is made
// after, so it names the run the view shows). want is the refusing invariant,
// "" when the edit passes.
var editCases = []struct {
	name  string
	spoil func(in *gate.EditInput)
	edit  func(*gate.CommonInput) slurm.Edit
	want  string
}{
	{"site factor", nothing, site, ""},
	{"nice", nothing, as(slurm.EditNice, -500), ""},
	{"priority", nothing, as(slurm.EditPriority, 9000), ""},
	{"lease", nothing, lease, ""},
	{"unlease", leased, unlock, ""},
	{"pin", nothing, pin, ""},
	{"unpin", pinned, nodes(slurm.EditRequireNodes), ""},
	{"exclude", nothing, nodes(slurm.EditExcludeNodes, "n1", "n2"), ""},
	{"requeue", nothing, requeue, ""},
	{"hand back", numbered(slurm.EditPriority, 9000), as(slurm.EditHandBackPriority, 7), ""},
	{"I3 hand back wipes nice", numbered(slurm.EditPriority, 9000), as(slurm.EditHandBackPriority, 0), "I3"},
	{"nice back", numbered(slurm.EditNice, 90), as(slurm.EditNice, 7), ""},
	{"site factor back", numbered(slurm.EditSiteFactor, 90), as(slurm.EditSiteFactor, 0), ""},

	{"admin comment", nothing, tell(tellingText), ""},
	{"admin comment again", told, tell(strings.Replace(tellingText, "3rd", "2nd", 1)), ""},
	{"admin comment cleared", told, tell(""), ""},
	{"admin comment cleared of a running job", func(in *gate.EditInput) { told(in); viewJob(&in.CommonInput, 2).State = "RUNNING" }, tell(""), ""},
	{"admin comment of a running job", job2(func(j *slurm.Job) { j.State = "RUNNING" }), tell(tellingText), "I2"},
	{"I2 admin comment of another form", nothing, tell("checked by ops"), "I2"},
	{"I2 admin comment that names somebody", nothing, tell(strings.Replace(tellingText, "others are", "bob is", 1)), "I2"},
	{"I2 foreign text", nothing, func(s *gate.CommonInput) slurm.Edit { e := site(s); e.Text = tellingText; return e }, "I2"},
	{"I3 a site's own admin comment", job2(func(j *slurm.Job) { j.AdminComment = "checked by ops" }), tell(tellingText), "I3"},
	{"I3 a site's own in place of ours", func(in *gate.EditInput) { told(in); viewJob(&in.CommonInput, 2).AdminComment = "ops" }, tell(""), "I3"},
	{"I3 no admin comment of ours to take back", nothing, tell(""), "I3"},
	{"I3 admin comment yielded", opened(slurm.EditAdminComment, 2, bridge.IntentYielded), tell(tellingText), "I3"},
	{"an order beside a yielded admin comment", opened(slurm.EditAdminComment, 2, bridge.IntentYielded), site, ""},
	{"I15 another partition's to give back", alsoIn(bridge.ModeRank), tell(""), "I15"},
	{"another partition's that sends nothing", alsoIn(bridge.ModeObserve), tell(""), ""},
	{"I10 ten are told", func(in *gate.EditInput) { in.ToldElsewhere = 10 }, tell(tellingText), "I10"},
	{"an order beside ten that are told", func(in *gate.EditInput) { in.ToldElsewhere = 10 }, site, ""},
	{"told beside a spent budget", func(in *gate.EditInput) { in.EditsSpentElsewhere = 100_000 }, tell(tellingText), ""},

	{"I1 held", job2(func(j *slurm.Job) { j.IsHeld = true }), site, "I1"},
	{"I1 priority 0", job2(func(j *slurm.Job) { j.Priority = 0 }), lease, "I1"},
	{"I1 unlease held", func(in *gate.EditInput) { leased(in); viewJob(&in.CommonInput, 2).IsHeld = true }, unlock, "I1"},
	{"I1 requeue held", job11(func(j *slurm.Job) { j.IsHeld = true }), requeue, "I1"},

	{"I2 unknown kind", nothing, as("release", 0), "I2"},
	{"I2 foreign value", nothing, func(s *gate.CommonInput) slurm.Edit { e := lease(s); e.Value = 5; return e }, "I2"},
	{"I2 foreign time", nothing, func(s *gate.CommonInput) slurm.Edit { e := site(s); e.Until = noon; return e }, "I2"},
	{"I2 foreign nodes", nothing, func(s *gate.CommonInput) slurm.Edit { e := site(s); e.Nodes = []string{"n1"}; return e }, "I2"},
	{"I2 foreign address", nothing, func(s *gate.CommonInput) slurm.Edit { e := site(s); e.Array = "1_1"; return e }, "I2"},
	{"I2 no time", nothing, as(slurm.EditLease, 0), "I2"},
	{"I2 unsorted nodes", nothing, nodes(slurm.EditExcludeNodes, "n2", "n1"), "I2"},
	{"I2 nodes twice", nothing, nodes(slurm.EditExcludeNodes, "n1", "n1"), "I2"},
	{"I2 hard hold", nothing, as(slurm.EditHardHold, 0), "I2"},
	{"I2 hard hold accepted", func(in *gate.EditInput) { in.Budgets.IAcceptOrphanHolds = true }, as(slurm.EditHardHold, 0), ""},
	{"I2 running", job2(func(j *slurm.Job) { j.State = "RUNNING" }), site, "I2"},
	{"I2 running, given back", running(slurm.EditSiteFactor), as(slurm.EditSiteFactor, 0), ""},
	{"I2 running, priority given back", running(slurm.EditPriority), as(slurm.EditHandBackPriority, 0), "I2"},
	{"I2 least priority", nothing, as(slurm.EditPriority, 999), "I2"},
	{"I2 hold by number", nothing, as(slurm.EditPriority, 0), "I2"},
	{"I2 release by number", nothing, as(slurm.EditPriority, 0xffffffff), "I2"},
	{"I2 most priority", nothing, as(slurm.EditPriority, slurm.MaxPriority+1), "I2"},
	{"I2 most nice", nothing, as(slurm.EditNice, -2_000_000_001), "I2"},
	{"I2 most site factor", nothing, as(slurm.EditSiteFactor, 2_000_000_001), "I2"},
	{"I2 neutral of Slurm", nothing, as(slurm.EditSiteFactor, 0x80000000), "I2"},
	{"I2 priority driven to 0", nothing, as(slurm.EditSiteFactor, -4999), "I2"},
	{"I2 low priority", nothing, as(slurm.EditSiteFactor, -4000), ""},
	{"I2 priority too high", job2(func(j *slurm.Job) { j.Priority = 3_999_999_500 }), site, "I2"},
	{"I23 not elastic", func(in *gate.EditInput) { elastic(in); planJob(&in.CommonInput, 2).MaxGPUs = 0 }, as(slurm.EditSetGPUs, 4), "I23"},
	{"I23 elastic", elastic, as(slurm.EditSetGPUs, 4), ""},
	{"I23 most elastic", elastic, as(slurm.EditSetGPUs, 8), ""},
	{"I23 least elastic", func(in *gate.EditInput) {
		elastic(in)
		planJob(&in.CommonInput, 2).MinGPUs, planJob(&in.CommonInput, 2).MaxGPUs = 1, 1
	}, as(slurm.EditSetGPUs, 1), ""},
	{"I2 highest priority", job2(func(j *slurm.Job) { j.Priority = slurm.MaxPriority - 1000 }), site, ""},
	{"I23 beyond elastic", elastic, as(slurm.EditSetGPUs, 9), "I23"},

	{"I23 elastic array", func(in *gate.EditInput) { elastic(in); viewJob(&in.CommonInput, 2).ArrayJobID = 2 }, as(slurm.EditSetGPUs, 4), "I23"},
	{"I3 no ledger", func(in *gate.EditInput) { in.IntentBook = nil }, site, "I3"},
	{"I3 unpin", pinned, nodes(slurm.EditRequireNodes), ""},
	{"I3 exclusion back", excluded, nodes(slurm.EditExcludeNodes, "n2"), ""},
	{"I3 exclusion back, short", excluded, nodes(slurm.EditExcludeNodes), "I12"},
	{"I3 begin just past", leased, until(slurm.EditUnlease, -time.Minute), ""},
	{"I3 nothing to take back", nothing, unlock, "I3"},
	{"I3 no site factor to take back", nothing, as(slurm.EditSiteFactor, 0), "I3"},
	{"I3 begin changed", func(in *gate.EditInput) { leased(in); viewJob(&in.CommonInput, 2).EligibleTime = noon.Add(time.Hour) }, unlock, "I3"},
	{"I3 lease renewed after a change", func(in *gate.EditInput) { leased(in); viewJob(&in.CommonInput, 2).EligibleTime = noon.Add(time.Minute) }, lease, "I3"},
	{"I3 nice changed", func(in *gate.EditInput) { numbered(slurm.EditNice, 90)(in); viewJob(&in.CommonInput, 2).Nice = 91 }, as(slurm.EditNice, 7), "I3"},
	{"I3 priority changed", func(in *gate.EditInput) {
		numbered(slurm.EditPriority, 9000)(in)
		viewJob(&in.CommonInput, 2).Priority = 9001
	}, as(slurm.EditHandBackPriority, 0), "I3"},
	{"I3 nodes changed", func(in *gate.EditInput) {
		pinned(in)
		viewJob(&in.CommonInput, 2).RequiredNodes = slurm.ReadHosts("n2")
	}, nodes(slurm.EditRequireNodes), "I3"},
	{"I3 wrong begin", leased, until(slurm.EditUnlease, time.Minute), "I3"},
	{"I3 begin long past", leased, until(slurm.EditUnlease, -2*time.Minute), "I3"},
	{"I3 the owner's begin", ownLater, until(slurm.EditUnlease, 2*time.Minute), ""},
	{"I3 before the owner's begin", ownLater, unlock, "I3"},
	{"I3 open", opened(slurm.EditSiteFactor, 2, bridge.IntentSent), site, "I3"},
	{"I3 open elsewhere", opened(slurm.EditRequireNodes, 2, bridge.IntentSent), site, ""},
	{"I3 left alone", func(in *gate.EditInput) { in.LeftAloneReasonByUser = map[string]string{"u2": "his jobs were changed"} }, site, "I3"},
	{"I3 left alone, given back", func(in *gate.EditInput) {
		leased(in)
		in.LeftAloneReasonByUser = map[string]string{"u2": "his jobs were changed"}
	}, unlock, ""},
	{"I3 others left alone", func(in *gate.EditInput) { in.LeftAloneReasonByUser = map[string]string{"u3": "his jobs were changed"} }, site, ""},
	{"I3 yielded", opened(slurm.EditRequireNodes, 2, bridge.IntentYielded), site, "I3"},
	{"I3 nice not shown", job2(func(j *slurm.Job) { j.IsNiceKnown = false }), as(slurm.EditNice, -500), "I3"},

	{"I4 too short", nothing, until(slurm.EditLease, 29*time.Second), "I4"},
	{"I4 shortest", nothing, until(slurm.EditLease, 30*time.Second), ""},
	{"I4 past", nothing, until(slurm.EditLease, -time.Second), "I4"},
	{"I4 longest", nothing, until(slurm.EditLease, time.Hour), ""},
	{"I4 too long", nothing, until(slurm.EditLease, time.Hour+time.Second), "I4"},
	{"I4 part of a second", nothing, until(slurm.EditLease, time.Minute+1), "I4"},
	{"I4 owner's begin", job2(func(j *slurm.Job) { j.EligibleTime = noon.Add(11 * time.Minute) }), lease, "I4"},
	{"I4 owner's begin under a lease", func(in *gate.EditInput) { ownLater(in) }, until(slurm.EditLease, time.Minute), "I4"},
	{"I4 renewal", leased, lease, ""},
	{"I4 total", func(in *gate.EditInput) { in.LeasedTimeByJob[2] = 23*time.Hour + 50*time.Minute + 1 }, lease, "I4"},
	{"I4 total reached", func(in *gate.EditInput) { in.LeasedTimeByJob[2] = 23*time.Hour + 50*time.Minute }, lease, ""},

	{"I5 twice", func(in *gate.EditInput) { in.RequeuedRuns = []slurm.Run{viewJob(&in.CommonInput, 11).CurrentRun()} }, requeue, "I5"},
	{"I5 earlier run", func(in *gate.EditInput) {
		r := viewJob(&in.CommonInput, 11).CurrentRun()
		r.Submit--
		in.RequeuedRuns = []slurm.Run{r}
	}, requeue, ""},
	{"I5 unknown", opened(slurm.EditSiteFactor, 11, bridge.IntentUnknown), requeue, "I5"},
	{"I5 sent", opened(slurm.EditRequeue, 11, bridge.IntentSent), requeue, "I3"},
	{"I5 suspended in the snapshot", func(in *gate.EditInput) { planJob(&in.CommonInput, 11).State = "suspended" }, requeue, "I5"},
	{"I5 suspended", job11(func(j *slurm.Job) { j.State = "SUSPENDED" }), requeue, "I5"},
	{"I5 pending", job11(func(j *slurm.Job) { j.State = "PENDING" }), requeue, "I5"},
	{"I5 no batch", job11(func(j *slurm.Job) { j.IsBatch = false }), requeue, "I5"},
	{"I5 no requeue", job11(func(j *slurm.Job) { j.Requeue = false }), requeue, "I5"},
	{"I5 not opted in", func(in *gate.EditInput) { planJob(&in.CommonInput, 11).UnstoppableReason = "no" }, requeue, "I5"},
	{"I5 array without address", job11(func(j *slurm.Job) { j.ArrayJobID, j.ArrayTaskID, j.IsArrayTask = 9, 4, true }), requeue, "I5"},
	{"I5 the record of an array", job11(func(j *slurm.Job) { j.ArrayJobID = 9 }), requeue, "I5"},
	{"I5 array", job11(func(j *slurm.Job) { j.ArrayJobID, j.ArrayTaskID, j.IsArrayTask = 9, 4, true }), func(s *gate.CommonInput) slurm.Edit {
		e := requeue(s)
		e.Array = "9_4"
		return e
	}, ""},
	{"I6 quantum", job11(func(j *slurm.Job) { j.Start = noon.Add(-29 * time.Minute) }), requeue, "I6"},
	{"I6 cooldown", func(in *gate.EditInput) { in.RequeueTimesByJob[11] = []time.Time{noon.Add(-time.Hour)} }, requeue, "I6"},
	{"I7 budget", func(in *gate.EditInput) {
		in.RecentStops = []bridge.Stop{{Job: 99, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8}}}
	}, requeue, "I7"},
	{"I8 not in the plan", func(in *gate.EditInput) { in.AllowedStops = in.AllowedStops[1:] }, requeue, "I8"},
	{"I9 pays back", func(in *gate.EditInput) {
		in.RecentStops = []bridge.Stop{{Job: 1, DecidedAt: noon.Add(-40 * time.Minute), StopCost: bridge.StopCost{Beneficiary: 11}}}
		in.Budgets.StopFloor1h = 2
	}, requeue, "I9"},

	{"I10 spent", func(in *gate.EditInput) { in.EditsSpentElsewhere = 150 }, site, "I10"},
	{"I10 one left", func(in *gate.EditInput) { in.EditsSpentElsewhere = 149 }, site, ""},
	{"I10 large array", oneLeftForTasks(2, 500), site, ""},
	{"I10 a stop counts its tasks", oneLeftForTasks(11, 2), requeue, "I10"},
	{"I10 a rate below one an interval", func(in *gate.EditInput) { in.Budgets.EditRate = 0.01 }, site, ""},
	{"I10 rate", func(in *gate.EditInput) {
		in.CycleInterval, in.Budgets.SnapshotAge, in.EditsSpentElsewhere = time.Second, 2, 5
	}, site, "I10"},
	{"I10 cooldown", touched(19 * time.Second), site, "I10"},
	{"I10 cooled", touched(20 * time.Second), site, ""},
	{"I10 back at once", func(in *gate.EditInput) { numbered(slurm.EditSiteFactor, 90)(in); touched(time.Second)(in) }, as(slurm.EditSiteFactor, 0), ""},

	{"I12 nothing would take it back", func(in *gate.EditInput) { in.HasExpiryTimer = false }, pin, "I12"},
	{"I12 nothing would take an exclusion back", func(in *gate.EditInput) { in.HasExpiryTimer = false }, nodes(slurm.EditExcludeNodes, "n4"), "I12"},
	{"I12 a pin back without that", func(in *gate.EditInput) { pinned(in); in.HasExpiryTimer = false }, nodes(slurm.EditRequireNodes), ""},
	{"I12 no node", nothing, nodes(slurm.EditRequireNodes), "I12"},
	{"I12 unknown node", nothing, nodes(slurm.EditRequireNodes, "n9"), "I12"},
	{"I12 drained", func(in *gate.EditInput) { in.View.Nodes[1].Flags = []string{"DRAIN"} }, pin, "I12"},
	{"I12 down", func(in *gate.EditInput) { in.View.Nodes[1].State = "DOWN" }, pin, "I12"},
	{"I12 other partition", func(in *gate.EditInput) { in.View.Nodes[1].Partitions = []string{"cpu"} }, pin, "I12"},
	{"I12 too many nodes", nothing, nodes(slurm.EditRequireNodes, "n1", "n2"), "I12"},
	{"I12 two nodes", job2(func(j *slurm.Job) { j.NodeCount, j.MaxNodes = 2, 2 }), nodes(slurm.EditRequireNodes, "n1", "n2"), ""},
	{"I12 owner's node", job2(func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n1") }), pin, "I12"},
	{"I12 a node the owner names too", job2(func(j *slurm.Job) {
		j.NodeCount, j.MaxNodes, j.RequiredNodes = 2, 2, slurm.ReadHosts("n2")
	}), nodes(slurm.EditRequireNodes, "n1", "n2"), "I12"},
	{"I12 it may get more nodes", job2(func(j *slurm.Job) { j.MaxNodes = 2 }), pin, "I12"},
	{"I12 it may get any number of nodes", job2(func(j *slurm.Job) { j.MaxNodes = 0 }), pin, "I12"},
	{"I12 GPUs of each node", job2(func(j *slurm.Job) { j.MaxNodes, j.ProcessCount, j.GresPerNode = 0, 1, slurm.ReadGRES("gpu:8") }), pin, ""},
	{"I12 GPUs of each node, for processes that may be spread", job2(func(j *slurm.Job) { j.MaxNodes, j.ProcessCount, j.GresPerNode = 0, 4, slurm.ReadGRES("gpu:8") }), pin, "I12"},
	{"I12 GPUs of each node, for no one knows how many processes", job2(func(j *slurm.Job) { j.MaxNodes, j.GresPerNode = 0, slurm.ReadGRES("gpu:8") }), pin, "I12"},
	{"I12 owner's exclusion", job2(func(j *slurm.Job) { j.ExcludedNodes = slurm.ReadHosts("n2") }), pin, "I12"},
	{"I12 unsplit array", job2(func(j *slurm.Job) { j.ArrayJobID = 2 }), pin, "I12"},
	{"I12 unplaced", func(in *gate.EditInput) { planJob(&in.CommonInput, 2).UnplaceableReason = "constraint" }, pin, "I12"},
	{"I12 exclusion lost", job2(func(j *slurm.Job) { j.ExcludedNodes = slurm.ReadHosts("n3") }), nodes(slurm.EditExcludeNodes, "n1"), "I12"},
	{"I12 exclusion kept", job2(func(j *slurm.Job) { j.ExcludedNodes = slurm.ReadHosts("n3") }), nodes(slurm.EditExcludeNodes, "n1", "n3"), ""},
	{"I12 own exclusion of an old node", job2(func(j *slurm.Job) { j.ExcludedNodes = slurm.ReadHosts("n9") }), nodes(slurm.EditExcludeNodes, "n1", "n9"), ""},
	{"I12 excludes the owner's", job2(func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n1") }), nodes(slurm.EditExcludeNodes, "n1"), "I12"},
	{"I12 excludes nothing real", nothing, nodes(slurm.EditExcludeNodes, "n9"), "I12"},
	{"I12 unreadable list", job2(func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n[1") }), pin, "I12"},
	{"I12 unreadable exclusions", job2(func(j *slurm.Job) { j.ExcludedNodes = slurm.ReadHosts("n[1") }), nodes(slurm.EditExcludeNodes, "n1"), "I12"},
	{"I12 too few left", nothing, nodes(slurm.EditExcludeNodes, "n1", "n2", "n3"), "I12"},

	{"I13 stale", func(in *gate.EditInput) { in.Now = noon.Add(16 * time.Second) }, site, "I13"},
	{"I13 other run", nothing, func(s *gate.CommonInput) slurm.Edit { e := site(s); e.Run.Submit++; return e }, "I13"},
	{"I13 restarted", nothing, func(s *gate.CommonInput) slurm.Edit { e := requeue(s); e.Run.Restarts--; return e }, "I13"},
	{"I13 gone", nothing, func(s *gate.CommonInput) slurm.Edit { e := site(s); e.Run.Job = 99; return e }, "I13"},
	{"I14 leadership", func(in *gate.EditInput) { in.LeadershipLeft = 11 * time.Second }, site, "I14"},

	{"I15 not in the snapshot", func(in *gate.EditInput) { in.Snapshot.Jobs = in.Snapshot.Jobs[2:] }, site, "I15"},
	{"I15 back without the snapshot", func(in *gate.EditInput) { leased(in); in.Snapshot.Jobs = in.Snapshot.Jobs[2:] }, unlock, ""},
	{"I15 user", func(in *gate.EditInput) { in.Budgets.ExemptUsers = []string{"u2"} }, site, "I15"},
	{"I15 back from an exempt user", func(in *gate.EditInput) { leased(in); in.Budgets.ExemptUsers = []string{"u2"} }, unlock, ""},
	{"I15 nice of an exempt user", func(in *gate.EditInput) {
		numbered(slurm.EditNice, 90)(in)
		in.Budgets.ExemptUsers = []string{"u2"}
	}, as(slurm.EditNice, 8), "I15"},
	{"I15 nice back from an exempt user", func(in *gate.EditInput) {
		numbered(slurm.EditNice, 90)(in)
		in.Budgets.ExemptUsers = []string{"u2"}
	}, as(slurm.EditNice, 7), ""},
	{"I15 partition not managed", job2(func(j *slurm.Job) { j.Partitions = []string{"cpu"} }), site, "I15"},
	{"I15 partition of another plan", func(in *gate.EditInput) {
		in.ModeByPartition["a"] = bridge.ModePreempt
		viewJob(&in.CommonInput, 2).Partitions = []string{"a", "gpu"}
	}, site, "I15"},
	{"I15 opaque", job2(func(j *slurm.Job) { j.UntrustedReason = "no priority" }), site, "I15"},
	{"I15 heterogeneous", job2(func(j *slurm.Job) { j.HetJobID = 2 }), site, "I15"},
	{"I15 federated", job2(func(j *slurm.Job) { j.FederationOrigin = "f" }), site, "I15"},
	{"I15 scrontab", job2(func(j *slurm.Job) { j.Cron = "* * * * *" }), site, "I15"},
	{"I15 reservation", job2(func(j *slurm.Job) { j.Reservation = "r" }), site, "I15"},
	{"I15 ended", job2(func(j *slurm.Job) { j.State = "COMPLETED" }), site, "I15"},
	{"I15 interactive lease", job2(func(j *slurm.Job) { j.IsBatch = false }), lease, "I15"},
	{"I15 interactive pin", job2(func(j *slurm.Job) { j.IsBatch = false }), pin, "I15"},
	{"I15 interactive exclusion", job2(func(j *slurm.Job) { j.IsBatch = false }), nodes(slurm.EditExcludeNodes, "n1"), "I15"},
	{"I15 interactive order", job2(func(j *slurm.Job) { j.IsBatch = false }), site, ""},
	{"I15 deadline", job2(func(j *slurm.Job) { j.Deadline = noon.Add(24*time.Hour + 20*time.Minute - 1) }), lease, "I15"},
	{"I15 far deadline", job2(func(j *slurm.Job) { j.Deadline = noon.Add(24*time.Hour + 20*time.Minute) }), lease, ""},
	{"I15 dependants", func(in *gate.EditInput) { dependants(&in.CommonInput, 11) }, lease, "I15"},

	{"I16 lease", old, lease, "I16"},
	{"I16 lowered", func(in *gate.EditInput) { old(in); numbered(slurm.EditSiteFactor, 1001)(in) }, site, "I16"},
	{"I16 raised", func(in *gate.EditInput) { old(in); numbered(slurm.EditSiteFactor, 999)(in) }, site, ""},
	{"I16 lowered if an answer was lost", func(in *gate.EditInput) { old(in); unanswered(1001, 900)(in) }, site, "I16"},
	{"I16 raised whatever stands", func(in *gate.EditInput) { old(in); unanswered(1000, 900)(in) }, site, ""},
	{"I16 lowered by nice", func(in *gate.EditInput) { old(in); viewJob(&in.CommonInput, 2).Nice = -501 }, as(slurm.EditNice, -500), "I16"},
	{"I16 lowered by priority", old, as(slurm.EditPriority, 4999), "I16"},
	{"I16 given back", func(in *gate.EditInput) { old(in); numbered(slurm.EditSiteFactor, 90)(in) }, as(slurm.EditSiteFactor, 0), ""},

	{"I20 off", func(in *gate.EditInput) { in.Mode = bridge.ModeOff }, unlock, "I20"},
	{"I20 no mode", func(in *gate.EditInput) { in.Mode = "" }, site, "I20"},
	{"I20 observe", func(in *gate.EditInput) { in.Mode = bridge.ModeObserve }, site, "I20"},
	{"I20 rank orders", func(in *gate.EditInput) { in.Mode = bridge.ModeRank }, site, ""},
	{"I20 rank does not lease", func(in *gate.EditInput) { in.Mode = bridge.ModeRank }, lease, "I20"},
	{"I20 rank gives back", func(in *gate.EditInput) { leased(in); in.Mode = bridge.ModeRank }, unlock, ""},
	{"I20 steer pins", func(in *gate.EditInput) { in.Mode = bridge.ModeSteer }, pin, ""},
	{"I20 steer does not stop", func(in *gate.EditInput) { in.Mode = bridge.ModeSteer }, requeue, "I20"},
	{"I20 configured lower", func(in *gate.EditInput) { in.ModeByPartition["gpu"] = bridge.ModeRank }, lease, "I20"},
	{"I20 second partition not managed", job2(func(j *slurm.Job) { j.Partitions = []string{"gpu", "cpu"} }), site, "I20"},
}

// oneLeftForTasks makes the record of the job one of so many tasks, and leaves one edit of the budget.
func oneLeftForTasks(job int64, tasks int) func(*gate.EditInput) {
	return func(in *gate.EditInput) {
		planJob(&in.CommonInput, job).Tasks, in.EditsSpentElsewhere = tasks, in.Budgets.EditFloor-1
	}
}
