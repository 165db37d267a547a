package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// stopBudget counts stops against I7, and warnings that no stop came of. It grows only by add.
type stopBudget struct {
	f     *facts
	inUse float64 // whole GPUs running jobs of the snapshot hold
	stops []bridge.Stop
	warns []Warning // that no stop came of: each is counted as one, but for its own job
}

func newStopBudget(f *facts) *stopBudget {
	b := &stopBudget{f: f, stops: slices.Clone(f.Stops)}
	for _, w := range f.Warnings {
		if !slices.ContainsFunc(b.stops, func(s bridge.Stop) bool { return s.Job == w.Run.Job && !s.At.Before(w.At) }) {
			b.warns = append(b.warns, w)
		}
	}
	for i := range f.Snapshot.Jobs {
		if j := &f.Snapshot.Jobs[i]; j.Active() {
			b.inUse += j.Ask.GPUs.Whole()
		}
	}
	return b
}

// stopOf describes the stop of a job.
func (f *facts) stopOf(p *policy.Job, beneficiary int64) bridge.Stop {
	return bridge.Stop{Job: int64(p.ID), At: f.Snapshot.Now, StopCost: bridge.StopCost{
		User: p.User, Account: p.Account, GPUs: p.Ask.GPUs.Whole(),
		Lost: policy.Service(p.Ask.GPUs.Whole(), f.cost(p)), For: beneficiary,
	}}
}

// cost is the time a stop of the job loses on all its GPUs.
func (f *facts) cost(p *policy.Job) time.Duration {
	if p.Checkpoint > 0 {
		return p.Checkpoint
	}
	return f.Config.RestartCost
}

// tally is what stops since some moment add up to.
type tally struct {
	stops, job, user, account int
	gpus                      float64
	lost                      policy.GPUSeconds
}

func (b *stopBudget) since(t time.Time, s bridge.Stop) tally {
	var n tally
	for _, o := range b.stops {
		if o.At.Before(t) {
			continue
		}
		n.stops++
		n.gpus += o.GPUs
		n.lost += o.Lost
		n.job += one(o.Job == s.Job)
		n.user += one(o.User == s.User)
		n.account += one(o.Account == s.Account)
	}
	for i := range b.warns {
		w := &b.warns[i]
		if w.At.Before(t) || w.Run.Job == s.Job && b.f.live(w) {
			continue
		}
		n.stops++
		n.gpus += w.GPUs
		n.user += one(w.User == s.User)
		n.account += one(w.Account == s.Account)
	}
	return n
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// check says why the stop would break a budget.
func (b *stopBudget) check(s bridge.Stop) *denial {
	c, now := &b.f.Config, b.f.Snapshot.Now
	hour, day := b.since(now.Add(-time.Hour), s), b.since(now.Add(-24*time.Hour), s)
	cycle := b.since(now, s)
	whole := b.inUse * 24 * 3600 * c.LostPercent24h / 100
	switch {
	case hour.user >= c.UserStops1h:
		return deny(invariant.StopBudget, "jobs of user %s were stopped %d times this hour, the most is %d", s.User, hour.user, c.UserStops1h)
	case hour.account >= c.AccountStops1h:
		return deny(invariant.StopBudget, "jobs of account %s were stopped %d times this hour, the most is %d", s.Account, hour.account, c.AccountStops1h)
	case !b.room(cycle, s, c.StopPercent, c.StopFloor):
		return deny(invariant.StopBudget, "%g GPUs on top of %g are more than %g%% of %g in this interval", s.GPUs, cycle.gpus, c.StopPercent, b.inUse)
	case !b.room(hour, s, c.StopPercent1h, c.StopFloor1h):
		return deny(invariant.StopBudget, "%g GPUs on top of %g are more than %g%% of %g in this hour", s.GPUs, hour.gpus, c.StopPercent1h, b.inUse)
	case float64(day.lost+s.Lost) > whole:
		return deny(invariant.StopBudget, "%v of work would be lost in 24 hours, the most is %v", day.lost+s.Lost, policy.GPUSeconds(whole))
	}
	return b.perJob(s)
}

// room reports whether the stop is within the percentage of the GPUs in use or
// among the few jobs that always go.
func (b *stopBudget) room(n tally, s bridge.Stop, percent float64, floor int) bool {
	return n.stops < floor || (n.gpus+s.GPUs)*100 <= percent*b.inUse
}

// perJob counts a job's own stops, from history and from the recent stops,
// whichever knows more.
func (b *stopBudget) perJob(s bridge.Stop) *denial {
	c, now := &b.f.Config, b.f.Snapshot.Now
	times := slices.Clone(b.f.Stopped[s.Job])
	recent := func(d time.Duration) int {
		n := 0
		for _, t := range times {
			n += one(t.After(now.Add(-d)))
		}
		return max(n, b.since(now.Add(-d), s).job)
	}
	switch {
	case recent(4*time.Hour) >= c.JobStops4h:
		return deny(invariant.StopBudget, "it was stopped %d times in 4 hours, the most is %d", recent(4*time.Hour), c.JobStops4h)
	case recent(24*time.Hour) >= c.JobStops24h:
		return deny(invariant.StopBudget, "it was stopped %d times in 24 hours, the most is %d", recent(24*time.Hour), c.JobStops24h)
	case crowded(times, c.JobStops24h):
		return deny(invariant.StopBudget, "it was once stopped %d times in 24 hours and is exempt for good", c.JobStops24h)
	}
	return nil
}

// crowded reports whether some 24 hours contain n of the times.
func crowded(times []time.Time, n int) bool {
	slices.SortFunc(times, time.Time.Compare)
	for i := n - 1; n > 0 && i < len(times); i++ {
		if times[i].Sub(times[i-n+1]) < 24*time.Hour {
			return true
		}
	}
	return false
}

// add counts a stop, in place of the warning before it.
func (b *stopBudget) add(s bridge.Stop) {
	b.stops = append(b.stops, s)
	b.warns = slices.DeleteFunc(slices.Clone(b.warns), func(w Warning) bool { return w.Run.Job == s.Job })
}
