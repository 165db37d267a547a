package predict

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// FromTraining names the rung of jobs that report or are known to have a
// number of steps and a speed.
const FromTraining = "training"

// Training takes the steps left over the steps per second, on the GPUs the job
// holds or asks for; for a job that takes any type, on the fastest of those that
// the cluster has, which is what it is placed on first.
type Training struct{}

// Predict implements engine.Predictor.
func (Training) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	if e.Training == nil {
		return engine.TimeLeftEstimate{}
	}
	left, ok := e.Training.TimeLeft(gpuTypeOfJob(e.Job))
	if !ok {
		left = leastTimeLeft(e.Training, r)
	}
	return engine.TimeLeftEstimate{TimeLeft: left, Source: FromTraining, Trust: 1}
}

// OnFastestType returns the estimate as if the job ran, as it would if it started anew, on the
// fastest type it may have. Where it happens to run now makes it neither longer nor
// shorter: a job that is longer while it runs and shorter while it waits would take
// turns with others for ever.
func OnFastestType(r *engine.Round, e *engine.Entry) time.Duration {
	if e.Estimate().Source != FromTraining || e.Ask.GPUs.Type != "" || !e.HoldsGPUs() {
		return e.Estimate().TimeLeft
	}
	if left := leastTimeLeft(e.Training, r); left > 0 {
		return left
	}
	return e.Estimate().TimeLeft
}

func gpuTypeOfJob(j *policy.Job) string {
	if len(j.On) > 0 {
		return j.On.FirstType()
	}
	return j.Ask.GPUs.Type
}

// leastTimeLeft returns the least time left on any type that the cluster has, else on
// any; 0 when no speed is known.
func leastTimeLeft(t *policy.Training, r *engine.Round) (least time.Duration) {
	for _, rate := range t.Rates {
		if left, ok := t.TimeLeft(rate.Type); ok && r.HasGPUType(rate.Type) && (least == 0 || left < least) {
			least = left
		}
	}
	if least == 0 && r != nil && r.FreePool != nil {
		return leastTimeLeft(t, nil)
	}
	return least
}
