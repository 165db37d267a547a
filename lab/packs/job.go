package packs

import (
	"fmt"
	"math"

	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// Job is a job at a moment, as rules see it. Its work is counted in steps. Only its Rule's own
// scratch may be kept between moments; everything here is the simulation's.
type Job struct {
	*workload.Job
	Order           int     // 0, 1, … as jobs arrive; of those that arrive together, as the workload has them
	StepSeconds     float64 // of a step, alone
	StartSeconds    float64 // without progress after each event while it runs alone
	StepsLeft       float64
	ExecutedSeconds float64 // seconds it has run so far, starts included
	IsRunning       bool    // it ran until this moment

	choice          int  // the last one of the rule for which it was there
	hasRun          bool // before that
	settledAt       float64
	packStepSeconds float64 // of a step in its pack; only while it runs
	packStart       float64 // as StartSeconds, in its pack
	outcome         measure.JobOutcome
}

// newJob prepares a job. A trace tells how long it ran and how long a step of it took when it was
// measured: it has as many whole steps as that makes, each by stepFactor longer. Of a job that tells no
// step, one is a second.
func newJob(w *workload.Job, gpuType string) (*Job, error) {
	if w.Training != nil || !(w.Duration > 0) || math.IsInf(w.Duration, 0) || !(w.Arrive >= 0) {
		return nil, fmt.Errorf("%s: to run in packs it needs a run time, and no throughput tables", w.Location())
	}
	if w.GPUType != "" && w.GPUType != gpuType {
		return nil, fmt.Errorf("%s: it asks for GPUs of type %s, and the cluster has %s", w.Location(), w.GPUType, gpuType)
	}
	ms := 1000.0
	if w.Sharing != nil && w.Sharing.StepSeconds > 0 {
		ms = math.Round(w.Sharing.StepSeconds*1e9) / 1e6
	}
	duration := w.Duration
	if v := w.Speeds[gpuType]; v > 0 {
		duration /= v
	}
	j := &Job{Job: w, StepSeconds: ms * stepFactor / 1000, StartSeconds: startSeconds(w.Class, w.GPUs)}
	j.StepsLeft = max(math.Floor(duration*1000/ms+1e-6), 1)
	j.outcome = measure.JobOutcome{ID: w.ID, User: w.User, Account: w.Account, GPUCount: w.GPUs, Arrive: w.Arrive, Start: -1, ExclusiveRunSeconds: j.StepsLeft * j.StepSeconds}
	return j, nil
}

// SecondsLeft is how long the job still runs alone, without starts.
func (j *Job) SecondsLeft() float64 { return j.StepsLeft * j.StepSeconds }

// settle books what the job did until a time, in the simulator's order of operations.
func (j *Job) settle(to float64) {
	if j.IsRunning {
		held := to - j.settledAt
		j.StepsLeft -= max(held-j.packStart, 0) / j.packStepSeconds
		j.ExecutedSeconds = (j.ExecutedSeconds + to) - j.settledAt
		j.outcome.HeldSeconds += held
		j.outcome.Service += held * float64(j.GPUs)
		j.outcome.LostService += min(held, j.packStart) * float64(j.GPUs)
	}
	j.settledAt = to
}

// end is when the job ends if nothing happens before. The start is not reckoned in, so that each
// event puts off the ends of all that run.
func (j *Job) end(now float64) float64 { return now + float64(j.StepsLeft*j.packStepSeconds) }
