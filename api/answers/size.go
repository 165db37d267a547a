package answers

import (
	"cmp"

	"fairbridge/api"
	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// newJobSize says what a job of a snapshot runs on, and what is recommended to it there; nil for
// waiting tasks of an array, which have no size of their own.
func newJobSize(s *policy.Snapshot, j *policy.Job) *api.JobSize {
	if j.TaskCount() > 1 {
		return nil
	}
	held := scaling.HeldSize(s, j)
	out := &api.JobSize{GPUs: held.Devices, Nodes: len(j.On.Nodes()), Runs: j.HoldsGPUs(), Restarts: j.StopCount, MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs}
	if j.CheckpointCost > 0 {
		out.RestartSeconds, out.RestartSource = j.CheckpointCost.Seconds(), cmp.Or(j.CheckpointSource, "its owner's word")
	}
	if j.Scaling == nil {
		return out
	}
	curve := scaling.New(j)
	out.Speed, out.SpeedSource, out.SpeedSigma = curve.Speed(held), string(curve.Source()), j.Scaling.RelativeSigma
	batch, _ := curve.BestBatch(held)
	out.Batch, out.GPUBatch, out.Accumulation = batch.Global, batch.PerDevice, batch.AccumulationSteps
	return out
}

// hideSpeed leaves of a size what everybody sees who may see the job.
func hideSpeed(size *api.JobSize) *api.JobSize {
	if size == nil {
		return nil
	}
	return &api.JobSize{GPUs: size.GPUs, Nodes: size.Nodes, Runs: size.Runs, Restarts: size.Restarts}
}
