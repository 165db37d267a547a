package actuator

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/waitnote"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// An admin_comment tells in the job itself why it waits. Nothing in Slurm reads it.
var adminCommentRow = EditKindRow{
	Kind: slurm.EditAdminComment, Field: adminCommentField, NeededMode: bridge.ModeRank, SendPhase: PhaseTell, OnlyTells: true,
	ShowsEffect: valueShownFunc(adminCommentField), WantedEdits: wantedAdminComments, Check: checkAdminComment,
	Undo: clearAdminComment,
	// Somebody wrote another, or cleared it at once: either is his last word.
	WasOverruled: func(*bridge.Intent, *slurm.Job) bool { return true },
}

// adminCommentField is the field that sites, too, write by hand or by a job_submit plugin. Ours
// stands only where nothing else did, so that there is nothing to be given back but its emptiness.
var adminCommentField = &FieldRow{
	Name: slurm.FieldAdminComment,
	ValueOwnerOf: func(in *bridge.Intent, j *slurm.Job) ValueOwner {
		return ownerUsIf(j.AdminComment == in.Edit.Text)
	},
	// What the site wrote is the site's: it is not copied into the ledger.
	ForeignChange: func(*bridge.Intent, *slurm.Job) string { return "its admin_comment is not what we had set" },
	GivesBack:     func(e *slurm.Edit, _ *bridge.JobBefore) bool { return e.Text == "" },
	ChangeSince: func(_ *bridge.JobBefore, j *slurm.Job) string {
		if j.AdminComment == "" {
			return ""
		}
		return "its admin_comment is somebody's"
	},
	OutliveLimit: OutlivesForLong,
}

// clearAdminComment takes our text away, also from a job that runs.
func clearAdminComment(e *slurm.Edit, _ *bridge.Intent, j *slurm.Job, _ time.Time) bool {
	e.Text = ""
	return !j.IsDone()
}

// wantedAdminComments tells the first jobs of the line why they wait, where that changed since they
// were told, and takes back what stands in others.
func wantedAdminComments(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	line, told := g.PendingDecisionsInOrder(), map[int64]bool{}
	for i := range line {
		if !g.OrderConfig.AdminComment || !g.View.CanWriteAdminComment || i >= g.OrderConfig.Window {
			break
		}
		j := g.View.Job(int64(line[i].Job))
		if g.decidingPartition(j) != g.Partition {
			continue
		}
		told[j.ID] = true
		dec := line[i]
		if dec.Verb == policy.Hold && !g.ModeByPartition[g.Partition].Allows(bridge.ModeSteer) {
			dec.Verb = policy.Wait // nothing holds it there: Slurm may start it
		}
		n := waitnote.New(&dec, i+1, len(line), g.Partition, g.View.At)
		if g.isNewsTo(j, n) {
			edits = append(edits, g.editForJob(j, slurm.Edit{Kind: slurm.EditAdminComment, Text: n.String(), Why: "its owner is to see why it waits"}))
		}
	}
	return append(edits, g.adminCommentsToClear(told)...)
}

// decidingPartition is the one whose plan decides about the job's admin_comment, so that no two do:
// the first managed one in the job's list, as for the gate, else the one that a text of ours names;
// "" without any.
func (g *PartitionGoal) decidingPartition(j *slurm.Job) string {
	for _, p := range j.Partitions {
		if _, ok := g.ModeByPartition[p]; ok {
			return p
		}
	}
	n, _ := waitnote.Parse(j.AdminComment)
	return n.Partition
}

// isNewsTo reports whether the job is to be told: nothing stands in it, or a text of ours that says
// something else and was not written a moment ago.
func (g *PartitionGoal) isNewsTo(j *slurm.Job, n waitnote.Note) bool {
	in := g.standingIntent(j, adminCommentField)
	if in == nil {
		return j.AdminComment == ""
	}
	was, ok := waitnote.Parse(in.Edit.Text)
	return !(ok && n.SaysTheSame(was)) && g.isOldEnough(in)
}

func (g *PartitionGoal) isOldEnough(in *bridge.Intent) bool {
	return g.View.At.Sub(in.LastTouched()) >= g.OrderConfig.AdminCommentEvery
}

// adminCommentsToClear takes our texts away from jobs that run, from those that are no longer
// among the first of the line, and from those that have left our partitions. A job that waits keeps
// its text as long as it would be kept from having another, so that one that comes and goes is not
// written to each time.
func (g *PartitionGoal) adminCommentsToClear(told map[int64]bool) []slurm.Edit {
	var edits []slurm.Edit
	for i := range g.View.Jobs {
		j := &g.View.Jobs[i]
		if j.AdminComment == "" || told[j.ID] || g.editableJob(policy.JobID(j.ID)) == nil || g.decidingPartition(j) != g.Partition {
			continue
		}
		in := g.standingIntent(j, adminCommentField)
		if in == nil || g.OrderConfig.AdminComment && j.IsPending() && !g.isOldEnough(in) {
			continue
		}
		edits = g.appendUndoEdit(edits, clearAdminComment, in, j, "it no longer waits among the first of the line")
	}
	return edits
}

// checkAdminComment checks that the text is one of ours (I2), and that no other stands there (I3).
func checkAdminComment(c *EditContext) *invariant.Denial {
	if c.GivesBack {
		return nil
	}
	if _, ok := waitnote.Parse(c.Text); !ok {
		return invariant.OneFieldPerEdit.Deny("its text is not one of those that a job is told")
	}
	if c.StandingIntent == nil && c.SlurmJob.AdminComment != "" {
		return invariant.OnlyOurValues.Deny("its admin_comment is somebody's")
	}
	return nil
}
