package actuator

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// setShardsRow makes the GPU of a waiting job that opted in shards of one, right before it starts, so that others can
// run beside it. It is sent after what binds the job to its node: a job that starts between the two
// has a whole GPU of that node, as its owner asked. It writes the field that a number of GPUs
// is written in, and what gives it back writes the owner's number.
var setShardsRow = EditKindRow{
	Kind: slurm.EditSetShards, Field: gpusField, NeededMode: bridge.ModeShare, SendPhase: PhaseOther,
	ShowsEffect: valueShownFunc(gpusField), WantedEdits: wantedShareEdits, Check: checkShards, Undo: undoShards,
}

// requestedShards returns how many shards the job asks for per node; 0 unless it asks for nothing else.
func requestedShards(j *slurm.Job) int64 {
	if list := j.GresPerNode.List; len(list) == 1 && list[0].Name == "shard" && j.GresPerJob.Text == "" && j.GresPerTask.Text == "" {
		return int64(list[0].Count)
	}
	return 0
}

// undoShards gives the GPU back that the owner asked for.
func undoShards(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, now time.Time) bool {
	e.Kind = slurm.EditSetGPUs
	return undoSize(e, in, j, now)
}

// shareOf returns on how many shards of which node the plan starts the job; 0 for a job that has a GPU as a whole.
func (g *PartitionGoal) shareOf(id policy.JobID) sharing.Assignment {
	if g.shareByJob == nil {
		g.shareByJob = sharing.Assign(g.Plan, g.Snapshot, g.View)
	}
	return g.shareByJob[id]
}

// wantedShareEdits gives jobs that are to start on shards those, and their GPU back to those that no longer are.
func wantedShareEdits(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	for _, dec := range g.decisionsReaching(gpusField) {
		j := g.View.Job(int64(dec.Job))
		in, share := g.standingIntent(j, gpusField), g.shareOf(dec.Job)
		wanted := g.sharesGPUs(dec)
		switch {
		case wanted && requestedShards(j) != int64(share.Shards):
			edits = append(edits, g.editForJob(j, slurm.Edit{Kind: slurm.EditSetShards, Value: int64(share.Shards), Nodes: []string{share.Node}, Why: dec.Why}))
		case !wanted && in != nil && in.Edit.Kind == slurm.EditSetShards:
			edits = g.appendUndoEdit(edits, undoShards, in, j, "it does not start on shards: the GPU that its owner asked for is given back")
		}
	}
	return edits
}

// sharesGPUs reports whether the job of the decision is to start on shards. One that has shards of another node is
// given its GPU back first.
func (g *PartitionGoal) sharesGPUs(dec policy.Decision) bool {
	share := g.shareOf(dec.Job)
	return dec.Verb == policy.Start && g.MayPin && share.Shards > 0 && !g.isSizeInVain(dec) && !g.hasShardsElsewhere(g.View.Job(int64(dec.Job)), share.Node)
}

// joinsOthers reports whether the job starts on shards of a GPU that others have.
func (g *PartitionGoal) joinsOthers(dec policy.Decision) bool {
	return sharing.IsBeside(&dec, g.Plan, g.Snapshot) && g.sharesGPUs(dec)
}

// checkShards checks the number of shards of a pending job, and where it would start (I24).
func checkShards(c *EditContext) *invariant.Denial {
	switch {
	case !c.HasExpiryTimer:
		return noExpiryTimerDenial
	case len(c.Nodes) != 1:
		return invariant.SharedGPUs.Deny("it names %s for a GPU of one", policy.FormatCount(len(c.Nodes), "node"))
	case c.openIntent(c.Run.Job, slurm.FieldRequiredNodes) != nil:
		return invariant.SharedGPUs.Deny("it is not known to which node it is bound: the outcome of an earlier edit is still open")
	}
	if why := sharing.CheckEdit(c.Snapshot, c.View, c.sharedStarts(), c.SnapshotJob, c.SlurmJob, c.Nodes[0], c.Value); why != "" {
		return invariant.SharedGPUs.Deny("%s", why)
	}
	return nil
}

// describeAsk says what a job asks for of GPUs.
func describeAsk(j *slurm.Job) string {
	if n := requestedShards(j); n > 0 {
		return policy.FormatCount(int(n), "shard")
	}
	return fmt.Sprint(requestedGPUs(j))
}
