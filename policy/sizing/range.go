package sizing

import (
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/scaling"
)

// HasRange reports whether the size of a job is ours to choose: its owner declared a range, and
// its nodes are not chosen by others. A job that waits has its range even if it may not be stopped
// once it runs; one that runs and may not be stopped keeps its size.
func HasRange(e *engine.Entry) bool {
	return e.IsElastic() && e.UnplaceableReason == "" && (!e.HoldsGPUs() || e.UnstoppableReason == "")
}

// MayResize reports whether a running job may be given another size now. The Rules decide
// when; they are asked before an Allocator is.
func MayResize(e *engine.Entry) bool {
	return HasRange(e) && e.HoldsGPUs() && len(e.On) > 0 && !e.IsUnstoppable
}

// Least is the smallest size the job may run on: that of its range, else what it holds
// or asks.
func Least(e *engine.Entry) int {
	if HasRange(e) {
		return e.MinGPUs
	}
	return e.DeviceCount()
}

// Most is the largest size the job may run on.
func Most(e *engine.Entry) int {
	if HasRange(e) {
		return e.MaxGPUs
	}
	return e.DeviceCount()
}

// MostMeasured is the largest size of its range on which something is known of the job's speed: see
// scaling.Curve.MostDevices.
func MostMeasured(e *engine.Entry) int {
	if HasRange(e) {
		return scaling.New(e.Job).MostDevices()
	}
	return e.DeviceCount()
}

// TypeOf is the GPU type the job holds, else that it asks for; "": any.
func TypeOf(e *engine.Entry) string {
	if len(e.On) > 0 {
		return e.On.FirstType()
	}
	return e.Ask.GPUs.Type
}

// EverFits reports whether the cluster could hold the job on so many devices of a type, if no
// other ran.
func EverFits(r *engine.Round, e *engine.Entry, gpuType string, devices int) bool {
	grant, wanted := e.Grant, e.WantedDeviceCount
	e.Grant, e.WantedDeviceCount = engine.Grant{HasLease: true, GPUType: gpuType}, devices
	fits := r.CheckEverFits(e) == nil && r.WindowError(e) == nil
	e.Grant, e.WantedDeviceCount = grant, wanted
	return fits
}

// StopsNone is a Preempter by which no job gives way whole: jobs only shrink.
type StopsNone struct{}

// Tier implements engine.Preempter.
func (StopsNone) Tier(*engine.Round, *engine.Entry) int { return 0 }

// LeastWithoutLease lets a job that waits start on what it needs least where GPUs would idle,
// and one that runs go on.
func LeastWithoutLease(e *engine.Entry) engine.Assignment {
	t := e.AssignmentWithoutLease()
	if !e.HoldsGPUs() {
		t.DeviceCount = Least(e)
	}
	return t
}

// Levels are the sizes a deadline scheduler chooses among: the powers of two in the job's range
// and what it asks, ascending; for a job whose size or speed on others is not known, what it holds or
// asks alone.
func Levels(e *engine.Entry) []int {
	if !HasRange(e) || !e.KnowsScaling() {
		return []int{e.DeviceCount()}
	}
	levels := []int{e.Ask.GPUs.Count}
	for n := 1; n <= e.MaxGPUs; n *= 2 {
		if n >= e.MinGPUs && n != e.Ask.GPUs.Count {
			levels = append(levels, n)
		}
	}
	slices.Sort(levels)
	return levels
}

// CutAtFastest leaves out the levels on which the job is no faster than on a smaller one.
func CutAtFastest(e *engine.Entry, levels []int) []int {
	best := 0.0
	return slices.DeleteFunc(slices.Clone(levels), func(n int) bool {
		speed := Speed(e, n)
		if speed <= best {
			return true
		}
		best = speed
		return false
	})
}
