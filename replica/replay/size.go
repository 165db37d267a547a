package replay

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// askedGPUs is what the job of a run asks for.
func askedGPUs(r *bridge.PastRun) int { return cmp.Or(r.AskedGPUs, r.GPUs) }

// paceOf is how fast the job was in a run, relative to what it asks for, by what is known of its speed; nil: by what is
// assumed where nothing is known.
func paceOf(r *bridge.PastRun, known *policy.Scaling) float64 {
	asked := policy.GPUs{Count: askedGPUs(r)}
	if len(r.GPUTypes) == 1 {
		asked.Type = r.GPUTypes[0]
	}
	job := policy.Job{Ask: policy.Ask{GPUs: asked}, Scaling: cmp.Or(known, scaling.Assumed())}
	return scaling.PaceOn(&job, scaling.Size{Type: asked.Type, Devices: r.GPUs}).Speed
}

// scalingOf is what snapshots last knew of the speed of the job of a run; nil: nothing.
func (p *Past) scalingOf(r *bridge.PastRun) *policy.Scaling {
	if seen, ok := p.LastSeenJobs[r.Job]; ok && seen.Arrive.Equal(r.Arrive) {
		return seen.Scaling
	}
	return nil
}

// ranOnOtherSize reports whether a run of the job was on a number of GPUs of ours.
func (l *pastJob) ranOnOtherSize() bool {
	return slices.ContainsFunc(l.runGPUs, func(n int) bool { return n != l.GPUs })
}
