package actuator

import (
	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// setGPUsRow changes the GPU count of an elastic job that waits. No plan asks for it
// yet.
var setGPUsRow = Row{Kind: slurm.SetGPUs, Field: gpusField, Needs: bridge.Steer, Turn: TurnRest, Bounds: sizeBounds}

var gpusField = &Field{
	Name: slurm.FieldGPUs,
	Note: func(b *bridge.Before, in *bridge.Intent, _ int64) {
		if in != nil {
			b.OurValue = in.Edit.Value
		}
	},
	Outlives: ForLong,
}

// sizeBounds checks the GPU count of an elastic pending job (I2).
func sizeBounds(c *Claim) *invariant.Denial {
	lo, hi := int64(c.Planned.MinGPUs), int64(c.Planned.MaxGPUs)
	switch {
	case lo < 1 || hi < lo:
		return invariant.OneField.Deny("it is not elastic")
	case c.Value < lo || c.Value > hi:
		return invariant.OneField.Deny("%d GPUs are not between its owner's %d and %d", c.Value, lo, hi)
	case c.Job.IsUnsplitArray() || !c.Job.Batch:
		return invariant.ExemptJobs.Deny("only single batch jobs are resized")
	}
	return nil
}
