package actuator

import (
	"fmt"

	"fairbridge/bridge"
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
