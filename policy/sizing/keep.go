package sizing

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// KeepSizes takes changes of running jobs back that are not worth a restart: a job grows only
// if it ends that much earlier, and shrinks only as far as others need its devices. Where they
// only grow by them, that must be worth more than all restarts and what shrinking costs.
func (w RestartRule) KeepSizes(c *Contest) {
	short := -c.Idle // devices that are wanted beyond those that idle
	starts, gained := false, 0.0
	var shrinking, growing []*Contender
	for _, j := range c.Jobs {
		has := j.On.Count()
		if saved := j.secondsSaved(); j.HoldsGPUs() && j.Size > has {
			if !w.IsWorthGrowing(j.Entry, j.Size, saved) {
				j.Size = has
			} else {
				gained += saved - w.CostOf(j.Job).Seconds()
				growing = append(growing, j)
			}
		}
		starts = starts || !j.HoldsGPUs() && j.Size > 0
		if j.HoldsGPUs() && j.Size > 0 && j.Size < has {
			shrinking = append(shrinking, j)
			short += has - j.Size
		}
		short += j.Size - has
	}
	lost := w.keepUnneeded(shrinking, short)
	if !starts && lost > 0 && gained <= lost {
		for _, j := range append(growing, shrinking...) {
			j.Size = j.On.Count()
		}
	}
}

// keepUnneeded lets jobs keep their size that need not shrink for what is short, those that
// would lose most first, and returns the seconds that the others lose.
func (w RestartRule) keepUnneeded(shrinking []*Contender, short int) (lost float64) {
	slices.SortStableFunc(shrinking, func(a, b *Contender) int { return cmp.Compare(b.secondsSaved(), a.secondsSaved()) })
	for _, j := range shrinking {
		has := j.On.Count()
		if short <= 0 {
			j.Size = has
			continue
		}
		short -= has - j.Size
		lost += w.NeededGain(j.Job) - j.secondsSaved()
	}
	return lost
}

// secondsSaved is how much earlier the job ends by its new size, without the restart.
func (j *Contender) secondsSaved() float64 {
	if !j.HoldsGPUs() || j.Size == 0 {
		return 0
	}
	return j.SecondsOn(j.On.Count()) - j.SecondsOn(j.Size)
}

// KeepUnlessWorth lets running jobs keep their size where growing to the one they have in the
// draft is not worth a restart, and then where what they gave up is still free, the first of
// the list first.
func KeepUnlessWorth(d *Draft, jobs []*engine.Entry, isWorth func(e *engine.Entry, devices int) bool) {
	for _, e := range jobs {
		if has, gets := e.On.Count(), d.Size(e); has > 0 && gets > has && !isWorth(e, gets) {
			d.TrySize(e, has, nil)
		}
	}
	for _, e := range jobs {
		if has := e.On.Count(); d.Size(e) < has {
			d.TrySize(e, has, nil)
		}
	}
}

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
