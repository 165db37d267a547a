package sizing

import (
	"cmp"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// RestartRule says what a change of size costs a job, and when growing is worth that. Published
// systems ask for different things; a field that is 0 asks for nothing. Shrinking is no gain of
// the job that shrinks, and is worth it by what others get.
type RestartRule struct {
	Cost        time.Duration      // of a restart, for a job of which nothing is known
	CostByClass map[string]float64 // seconds by Job.Class, before what the job says itself
	MinGain     float64            // times that cost: how much earlier a job must end by growing
	MinStep     float64            // factor by which its size must grow
}

// CostOf returns what a restart costs the job.
func (w RestartRule) CostOf(j *policy.Job) time.Duration {
	if seconds, known := w.CostByClass[j.Class]; known {
		return policy.DurationFromSeconds(seconds)
	}
	return cmp.Or(j.CheckpointCost, w.Cost)
}

// NeededGain returns how many seconds earlier the job must end by growing.
func (w RestartRule) NeededGain(j *policy.Job) float64 { return w.MinGain * w.CostOf(j).Seconds() }

// IsWorthGrowing reports whether a running job should grow to so many devices, by which it ends so many
// seconds earlier, its restart not counted; +Inf where that is not known and shall not count.
func (w RestartRule) IsWorthGrowing(e *engine.Entry, devices int, saved float64) bool {
	return float64(devices) >= w.MinStep*float64(e.On.Count()) && saved > 0 && saved >= w.NeededGain(e.Job)
}

// LifeFactor is the part of its life that a job did not and would not spend restarting if it
// restarted once more now: Pollux and Sia multiply what a job gains elsewhere by it. It is below 0
// for one that restarted too often, and 1 where neither its age nor its restart takes time.
func LifeFactor(age, cost time.Duration, restarts int) float64 {
	if age = max(age, 0); age+cost <= 0 {
		return 1
	}
	return (age - time.Duration(restarts)*cost).Seconds() / (age + cost).Seconds()
}
