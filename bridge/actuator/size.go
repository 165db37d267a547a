package actuator

import (
	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// setGPUsRow changes the GPU count of an elastic job that waits. No plan asks for it
// yet.
var setGPUsRow = EditKindRow{Kind: slurm.EditSetGPUs, Field: gpusField, NeededMode: bridge.ModeSteer, SendPhase: PhaseOther, Check: checkGPUCount}

var gpusField = &FieldRow{
	Name: slurm.FieldGPUs,
	FillBeforeValues: func(b *bridge.JobBefore, in *bridge.Intent, _ int64) {
		if in != nil {
			b.OurValue = in.Edit.Value
		}
	},
	OutliveLimit: OutlivesForLong,
}

// checkGPUCount checks the GPU count of an elastic pending job (I2).
func checkGPUCount(c *EditContext) *invariant.Denial {
	lo, hi := int64(c.SnapshotJob.MinGPUs), int64(c.SnapshotJob.MaxGPUs)
	switch {
	case lo < 1 || hi < lo:
		return invariant.OneFieldPerEdit.Deny("it is not elastic")
	case c.Value < lo || c.Value > hi:
		return invariant.OneFieldPerEdit.Deny("%d GPUs are not between its owner's %d and %d", c.Value, lo, hi)
	case c.SlurmJob.IsUnsplitArray() || !c.SlurmJob.IsBatch:
		return invariant.ExemptJobs.Deny("only single batch jobs are resized")
	}
	return nil
}
