package gate

import (
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// checkGain weighs the work the beneficiary is expected to do against what is lost.
// A job with neither limit nor prediction is expected to do any amount.
func (g *stopGate) checkGain(x stopGroup, to *policy.Job) *denial {
	if to.PredictedLeft == 0 && to.Limit == 0 {
		return nil
	}
	var lost policy.GPUSeconds
	for _, id := range x.victims {
		lost += g.newStop(g.snapshotJob(int64(id)), 0).Lost
	}
	gain := g.expectedWork(to, g.decisionForJob(x.beneficiary))
	if float64(gain) < g.Budgets.GainFactor*float64(lost) {
		return deny(invariant.StopPurpose, "job %s is expected to do %v, less than %g times the %v lost", g.Snapshot.JobLabel(x.beneficiary), gain, g.Budgets.GainFactor, lost)
	}
	return nil
}

// expectedWork is what the job, which has a prediction or a limit, is expected to do on what the decision gives it. A
// prediction is told on what the job asks, and is the same work on every size; a limit is time, in which less work
// is done on fewer GPUs.
func (g *stopGate) expectedWork(to *policy.Job, d *policy.Decision) policy.GPUSeconds {
	gpus := usefulGPUs(to, d)
	if to.PredictedLeft == 0 {
		return policy.ServiceForTime(gpus, max(to.Limit-to.Ran(g.Snapshot.Now), 0))
	}
	predicted := policy.ServiceForTime(to.Ask.GPUs.WholeGPUs(), max(to.PredictedLeft, 0))
	if to.Limit == 0 {
		return predicted
	}
	return min(predicted, policy.ServiceForTime(gpus, to.Limit))
}
