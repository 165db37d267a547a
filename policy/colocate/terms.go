package colocate

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
)

// Devices are what packs are counted by: jobs of different ones do not share.
type Devices struct {
	GPUType   string
	Count     int
	Partition string
}

// DevicesOf returns those of a job: what it holds, else what it asks. A job that takes any type is
// of the one that there is; where there are several, of "", which shares with no job.
func DevicesOf(r *engine.Round, e *engine.Entry) Devices {
	gpuType := cmp.Or(e.On.FirstType(), e.Ask.GPUs.Type)
	if whole := r.FreePool.WholeGPUTypes(); gpuType == "" && len(whole) == 1 {
		gpuType = whole[0]
	}
	return Devices{gpuType, e.DeviceCount(), e.Partition}
}

// Accepts reports whether the jobs of two packs may all share GPUs: their owners accept each other and
// as many, at most one pack runs already, and the memory of all is not known to exceed that of the GPUs.
func Accepts(r *engine.Round, x, y []*engine.Entry) bool {
	if x[0].HoldsGPUs() && y[0].HoldsGPUs() || DevicesOf(r, x[0]) != DevicesOf(r, y[0]) {
		return false
	}
	return acceptOn(r, x, y, placeOf(x, y))
}

// placeOf is where the first of the jobs are that run; nil: none of them runs.
func placeOf(x, y []*engine.Entry) policy.Alloc {
	if on := x[0].On; len(on) > 0 {
		return on
	}
	return y[0].On
}

// acceptOn is Accepts on devices of which all are known to be of one kind.
func acceptOn(r *engine.Round, x, y []*engine.Entry, on policy.Alloc) bool {
	group := slices.Clone(x)
	for _, e := range y {
		if !pack.Accepts(r, group, on, e) {
			return false
		}
		group = append(group, e)
	}
	return true
}
