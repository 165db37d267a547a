package gate

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// usefulGPUs is to how many of the whole GPUs that the job asks for the decision's amount, as far as its speed is
// known; never more than what it asks for or is given.
func usefulGPUs(to *policy.Job, d *policy.Decision) float64 {
	asked := to.Ask.GPUs.WholeGPUs()
	if d.GPUs <= 0 || len(d.On) == 0 || to.TaskCount() > 1 {
		return asked
	}
	given := policy.GPUs{Count: d.GPUs, PartPercent: to.Ask.GPUs.PartPercent}.WholeGPUs()
	pace := scaling.PaceOn(to, scaling.Size{Type: d.On.FirstType(), Devices: d.GPUs})
	return min(asked, given, asked*pace.Speed)
}

// predictedEnd is how long the running job is expected to run on, on what it holds or on what the decision gives it,
// whichever is faster: neither is long enough if that is not. 0: nothing is predicted.
func predictedEnd(p *policy.Job, d *policy.Decision) time.Duration {
	here := scaling.HeldPace(p).WallTime(p.PredictedLeft)
	if d.GPUs <= 0 || len(d.On) == 0 {
		return here
	}
	return min(here, scaling.PaceOn(p, scaling.Size{Type: d.On.FirstType(), Devices: d.GPUs}).WallTime(p.PredictedLeft))
}
