package exact

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/workload"
)

// setForecast lets policies know what remains of jobs that do not report it: the truth, or what is predicted
// when they ask.
func (e *engine) setForecast(now time.Time) {
	s := &e.snapshot
	switch {
	case e.PredictsTruth:
		s.PredictionTrust = 1
		for i, j := range e.presentJobs {
			if !j.reportsItself() {
				s.Jobs[i].PredictedLeft = policy.DurationFromSeconds(max(e.trueSecondsLeft(j), 1))
			}
		}
	case e.RunTimes != nil:
		e.forecast = silentForecast{e.RunTimes.ForecastAt(now), e}
		s.Forecast = &e.forecast
	}
	if e.WatchDecision != nil {
		s.WriteForecast()
	}
}

// reportsItself reports whether the job itself tells what remains of it.
func (j *job) reportsItself() bool {
	return j.trainingReport != nil || j.run != nil && !j.IsSilent
}

// silentForecast is what is predicted of the jobs that do not report it themselves.
type silentForecast struct {
	policy.Forecast
	engine *engine
}

// PredictTimeLeft implements policy.Forecast.
func (f *silentForecast) PredictTimeLeft(v *policy.Job) (left, sigma time.Duration) {
	if j := f.engine.presentJob(v.ID); j == nil || j.reportsItself() {
		return 0, 0
	}
	return f.Forecast.PredictTimeLeft(v)
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
		Start: workload.CalendarTimeAt(j.outcome.Start), End: workload.CalendarTimeAt(finish), Ran: policy.DurationFromSeconds(j.outcome.HeldSeconds),
	})
}
