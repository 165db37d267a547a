package actuator

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
	"fairbridge/policy"
)

const told = "fairbridge 2 Mar 11:00 UTC: waits as 1st of 1 in gpu; it is next for free GPUs"

// goalOfOneJob is a partition with one job that waits, alone in the line.
func goalOfOneJob(standing *bridge.Intent, change func(*PartitionGoal, *slurm.Job)) *PartitionGoal {
	j := bridgetest.NewWaitingJob()
	j.Partitions = []string{"gpu"}
	if standing != nil {
		standing.Edit.Kind, standing.State, j.AdminComment = slurm.EditAdminComment, bridge.IntentObserved, standing.Edit.Text
	}
	g := &PartitionGoal{
		Plan:     &policy.Plan{Decisions: []policy.Decision{{Job: policy.JobID(j.ID), Verb: policy.Wait, Rank: 1}}},
		Snapshot: &policy.Snapshot{Jobs: []policy.Job{{ID: policy.JobID(j.ID), State: policy.Pending}}}, IntentBook: oneIntent{standing},
		OrderConfig: bridge.Order{AdminComment: true, AdminCommentEvery: 10 * time.Minute, Window: 5}, Partition: "gpu", ModeByPartition: map[string]bridge.Mode{"gpu": bridge.ModeRank},
	}
	g.View = &slurm.View{At: noon, CanWriteAdminComment: true}
	if change != nil {
		change(g, &j)
	}
	g.View.Jobs = []slurm.Job{j}
	return g
}

// TestWhoIsTold: which of one job's situations lead to a text, to its end, or to nothing.
func TestWhoIsTold(t *testing.T) {
	const writes, clears, nothing = "waits as 1st of 1 in gpu", `""`, ""
	old := func(text string) *bridge.Intent {
		return &bridge.Intent{Edit: slurm.Edit{Text: text}, Sent: noon.Add(-time.Hour)}
	}
	fresh := func(text string) *bridge.Intent {
		return &bridge.Intent{Edit: slurm.Edit{Text: text}, Sent: noon.Add(-time.Minute)}
	}
	third := strings.Replace(told, "1st of 1", "3rd of 9", 1)
	for _, c := range []struct {
		name     string
		standing *bridge.Intent
		change   func(*PartitionGoal, *slurm.Job)
		want     string
	}{
		{"nothing stands there", nil, nil, writes},
		{"the site's own", nil, func(_ *PartitionGoal, j *slurm.Job) { j.AdminComment = "checked by ops" }, nothing},
		{"one of our form that the ledger does not know", nil, func(_ *PartitionGoal, j *slurm.Job) { j.AdminComment = told }, nothing},
		{"it was told the same", old(told), nil, nothing},
		{"another place", old(third), nil, writes},
		{"another place, told just now", fresh(third), nil, nothing},
		{"off", nil, func(g *PartitionGoal, _ *slurm.Job) { g.OrderConfig.AdminComment = false }, nothing},
		{"switched off", fresh(told), func(g *PartitionGoal, _ *slurm.Job) { g.OrderConfig.AdminComment = false }, clears},
		{"a release that cannot", nil, func(g *PartitionGoal, _ *slurm.Job) { g.View.CanWriteAdminComment = false }, nothing},
		{"beyond the window", nil, func(g *PartitionGoal, _ *slurm.Job) { g.OrderConfig.Window = 0 }, nothing},
		{"fallen beyond the window", old(told), func(g *PartitionGoal, _ *slurm.Job) { g.OrderConfig.Window = 0 }, clears},
		{"fallen beyond the window, told just now", fresh(told), func(g *PartitionGoal, _ *slurm.Job) { g.OrderConfig.Window = 0 }, nothing},
		{"it runs", fresh(told), func(_ *PartitionGoal, j *slurm.Job) { j.State = "RUNNING" }, clears},
		{"it ended", fresh(told), func(_ *PartitionGoal, j *slurm.Job) { j.State = "COMPLETED" }, nothing},
		{"it is held", fresh(told), func(_ *PartitionGoal, j *slurm.Job) { j.IsHeld = true }, nothing},
		{"another partition's job", nil, func(g *PartitionGoal, j *slurm.Job) {
			j.Partitions, g.ModeByPartition["big"] = []string{"big", "gpu"}, bridge.ModeRank
		}, nothing},
		{"it left our partitions", fresh(told), func(g *PartitionGoal, j *slurm.Job) {
			j.Partitions, j.State = []string{"other"}, "RUNNING"
		}, clears},
	} {
		edits := wantedAdminComments(goalOfOneJob(c.standing, c.change))
		switch {
		case c.want == nothing && len(edits) > 0:
			t.Errorf("%s: %v", c.name, edits)
		case c.want != nothing && (len(edits) != 1 || !strings.Contains(edits[0].String(), c.want)):
			t.Errorf("%s: %v, want one with %s", c.name, edits, c.want)
		}
	}
}

// TestForeignAdminCommentIsNotCopied: what a site wrote over ours is the site's, and stays out of
// what the ledger says of it.
func TestForeignAdminCommentIsNotCopied(t *testing.T) {
	in := &bridge.Intent{Edit: slurm.Edit{Kind: slurm.EditAdminComment, Text: told}}
	j := bridgetest.NewWaitingJob()
	j.AdminComment = "secret of ops"
	if ValueOwnerOf(in, &j) != OwnerOther || strings.Contains(ForeignChange(in, &j), "secret") || ForeignOverwrite(in, &j) == "" {
		t.Errorf("%q of a text that somebody wrote over", ForeignChange(in, &j))
	}
	noted := BeforeFromJob(&j)
	if what := ChangeSince(slurm.EditAdminComment, &noted, &j); what == "" || strings.Contains(what, "secret") {
		t.Errorf("%q of a job with the site's own", what)
	}
}
