package exact

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// predictTimeLeft tells policies what remains of a job that does not report it.
func (e *engine) predictTimeLeft(j *job, v *policy.Job) {
	switch {
	case j.trainingReport != nil, j.run != nil && !j.IsSilent:
	case e.PredictsTruth:
		v.PredictedLeft = policy.DurationFromSeconds(max(e.trueSecondsLeft(j), 1))
	case e.RunTimes != nil:
		v.PredictedLeft, v.PredictedSigma = e.RunTimes.PredictTimeLeft(e.snapshot.Now, v)
	}
}

// predictionTrust is how far policies may trust what is predicted.
func (e *engine) predictionTrust(now time.Time) float64 {
	switch {
	case e.PredictsTruth:
		return 1
	case e.RunTimes != nil:
		return e.RunTimes.PredictionTrust(now)
	}
	return 0
}

// trueSecondsLeft is how many seconds the job still runs where it is, or on its reference
// type where it waits, if its batch size changes as planned.
func (e *engine) trueSecondsLeft(j *job) float64 {
	if j.plannedRegimes != nil {
		return j.outcome.ExclusiveRunSeconds - j.progressSeconds
	}
	rate := j.unitsPerSecond
	if j.heldAlloc == nil {
		rate = j.unitRatesByType[max(e.speeds.referenceGPUType(j), 0)]
	}
	return j.restartSecondsLeft + (j.totalUnits-j.doneUnits)/rate
}

// teachRunTime tells the predictor of a job that ended at a time.
func (e *engine) teachRunTime(j *job, finish float64) {
	if e.RunTimes == nil {
		return
	}
	typ := j.GPUType
	if len(j.heldAlloc) > 0 {
		typ = j.heldAlloc.FirstType()
	}
	e.RunTimes.AddEndedRun(learn.Run{
		Job:   learn.Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: typ, GPUs: j.GPUs, Limit: j.TimeLimit},
		Start: CalendarTimeAt(j.outcome.Start), End: CalendarTimeAt(finish), Ran: policy.DurationFromSeconds(j.outcome.HeldSeconds),
	})
}
