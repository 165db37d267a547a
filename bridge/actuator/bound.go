package actuator

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// A job with shards of ours may start beside others, which were looked at on one node. So it stays bound to that until
// it has its GPU back, and is given none while it is not known what it is bound to: between two calls, or after one
// that was lost, Slurm would put it beside jobs of any owner.

// BoundReason says why the node list of a waiting job must stay as it is: shards of ours stand in its record, by the intent, or
// may still come to; "" when it may change.
func BoundReason(gpus *bridge.Intent, j *slurm.Job) string {
	switch {
	case gpus == nil || gpus.Edit.Kind != slurm.EditSetShards || !j.IsPending():
		return ""
	case gpus.State.IsOpen():
		return fmt.Sprintf("shards of a GPU of %v may still be asked for it: until that is known it stays bound to the node", gpus.Edit.Nodes)
	case gpusField.ValueOwnerOf(gpus, j) != OwnerUs:
		return ""
	}
	return fmt.Sprintf("it asks for shards of a GPU of %v, and stays bound to the node until it has its GPU back", gpus.Edit.Nodes)
}

// hasShardsElsewhere reports whether shards of ours stand in the job, and it is not bound to the node alone.
func (g *PartitionGoal) hasShardsElsewhere(j *slurm.Job, node string) bool {
	in := g.standingIntent(j, gpusField)
	return in != nil && in.Edit.Kind == slurm.EditSetShards && gpusField.ValueOwnerOf(in, j) == OwnerUs && !j.RequiredNodes.SameAs([]string{node})
}

// openIntent returns the intent of the job's field whose outcome is not known; nil without one.
func (c *EditContext) openIntent(job int64, f slurm.Field) *bridge.Intent {
	if c.OpenIntent == nil {
		return nil
	}
	return c.OpenIntent(job, f)
}

// checkBound says why the node list of the job must stay as it is (I24).
func (c *EditContext) checkBound() *invariant.Denial {
	run := c.SlurmJob.CurrentRun()
	if slices.ContainsFunc(c.EditsBefore, func(e slurm.Edit) bool { return e.Run.Job == run.Job && e.Kind == slurm.EditSetGPUs }) {
		return nil // it gets its GPU back first
	}
	why := BoundReason(c.openIntent(run.Job, slurm.FieldGPUs), c.SlurmJob)
	if why = cmp.Or(why, BoundReason(c.IntentBook.StandingIntent(run, slurm.FieldGPUs, c.Now), c.SlurmJob)); why != "" {
		return invariant.SharedGPUs.Deny("%s", why)
	}
	return nil
}

// sharedStarts returns the jobs that are to start on shards by edits that no record shows yet: of this cycle, in other
// partitions too, and those whose outcome is not known, which may still be carried out.
func (c *EditContext) sharedStarts() []sharing.Start {
	var out []sharing.Start
	for _, e := range slices.Concat(c.EditsElsewhere, c.EditsBefore) {
		out = sharing.AppendStart(out, e)
	}
	for i := range c.View.Jobs {
		j := &c.View.Jobs[i]
		if in := c.openIntent(j.ID, slurm.FieldGPUs); in != nil && j.IsPending() {
			out = sharing.AppendStart(out, in.Edit)
		}
	}
	return out
}
