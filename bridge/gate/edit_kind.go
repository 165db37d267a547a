package gate

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// maxOffset bounds site factors and nice values, within what Slurm can add up.
const maxOffset int64 = 2_000_000_000

// lowest is the least priority that an offset may lead to: at 1 Slurm's own
// factors no longer count.
const lowest int64 = 2

// kind says why the edit breaks a rule of its kind.
func (g *editor) kind(c *claim) *no {
	if c.Kind != slurm.Requeue && c.Kind != slurm.Warn && !c.job.Pending() && !(c.back && settable(c.Kind)) {
		return deny(invariant.OneField, "%s can only be written while the job is pending", c.Kind)
	}
	switch c.Kind {
	case slurm.SiteFactor, slurm.Nice, slurm.Priority:
		return g.number(c)
	case slurm.Lease:
		return g.lease(c)
	case slurm.Unlease:
		return g.unlease(c)
	case slurm.Require:
		return g.require(c)
	case slurm.Exclude:
		return g.exclude(c)
	case slurm.Requeue:
		return g.requeue(c)
	case slurm.Warn:
		return g.warn(c)
	case slurm.HardHold:
		return g.hardHold(c)
	case slurm.SetGPUs:
		return g.resize(c)
	case slurm.HandBack: // what stands there is ours, which has been seen
		if nice := c.standing.Before.Nice; c.Value != nice {
			return deny(invariant.OnlyOurs, "it would set nice %d, its owner's was %d", c.Value, nice)
		}
	}
	return nil
}

// settable are the fields that can be written while a job runs.
func settable(k slurm.Kind) bool { return k == slurm.SiteFactor || k == slurm.Nice }

// number checks an order (I2, I3, I16).
func (g *editor) number(c *claim) *no {
	j, ours := c.job, int64(0)
	if c.standing != nil {
		ours = c.standing.Edit.Value
	}
	switch c.Kind {
	case slurm.Priority:
		if c.Value < slurm.MinPriority || c.Value > slurm.MaxPriority {
			return deny(invariant.OneField, "priority %d is not between %d and %d", c.Value, slurm.MinPriority, slurm.MaxPriority)
		}
		return g.lowers(c, c.Value < j.Priority)
	case slurm.Nice:
		if !j.NiceKnown && !g.View.NiceRead {
			return deny(invariant.OnlyOurs, "the owner's nice cannot be read here, and would be lost")
		}
		if c.Value < -maxOffset || c.Value > maxOffset {
			return deny(invariant.OneField, "nice %d is beyond %d", c.Value, maxOffset)
		}
		return g.lowers(c, c.Value > j.Nice)
	}
	if c.Value < -maxOffset || c.Value > maxOffset {
		return deny(invariant.OneField, "site factor %d is beyond %d", c.Value, maxOffset)
	}
	if c.back {
		return nil
	}
	if then := j.Priority + c.Value - ours; c.Value > ours && then > slurm.MaxPriority || c.Value < ours && then < lowest {
		return deny(invariant.OneField, "the priority would be %d, not between %d and %d", then, lowest, slurm.MaxPriority)
	}
	return g.lowers(c, c.Value < g.in.Book.Most(j.Run(), slurm.FieldSite, g.at))
}

// lowers keeps jobs that waited very long from losing places. Giving Slurm's
// own order back is not lowering.
func (g *editor) lowers(c *claim, down bool) *no {
	if !down || c.back {
		return nil
	}
	if waited := c.planned.Waited(g.at); waited > g.Config.MaxPending {
		return deny(invariant.LongWait, "it has waited %v, longer than %v, and would be lowered", waited.Round(time.Second), g.Config.MaxPending)
	}
	return nil
}

// ownBegin returns the begin time the owner wanted.
func ownBegin(c *claim) time.Time {
	if c.standing != nil {
		return c.standing.Before.Begin
	}
	return c.job.Eligible
}

// lease checks a lease (I4, I15, I16).
func (g *editor) lease(c *claim) *no {
	length := c.Until.Sub(g.at)
	switch {
	case length < g.Config.LeaseMin || length > g.Config.LeaseMax:
		return deny(invariant.LeaseLength, "it would last %v, not between %v and %v", length.Round(time.Second), g.Config.LeaseMin, g.Config.LeaseMax)
	case c.Until.Nanosecond() != 0:
		return deny(invariant.LeaseLength, "Slurm keeps whole seconds: the lease could not be told from another's begin time")
	case c.Until.Before(ownBegin(c)):
		return deny(invariant.LeaseLength, "its owner's own begin time, %s, is later", stamp(ownBegin(c)))
	case g.Leased[c.Run.Job]+length > g.Config.LeaseTotal:
		return deny(invariant.LeaseLength, "with %v before it would be leased longer than %v altogether", g.Leased[c.Run.Job], g.Config.LeaseTotal)
	}
	return g.leasable(c.planned, c.job, c.Until)
}

// unlease checks the end of a lease: now, or what the owner wanted (I3).
func (g *editor) unlease(c *claim) *no {
	want := g.at
	if own := ownBegin(c); own.After(want) {
		want = own
	} else if c.Until.Before(want) && want.Sub(c.Until) <= time.Minute {
		return nil // a past begin time is now to Slurm
	}
	if !c.Until.Equal(want) {
		return deny(invariant.OnlyOurs, "the lease would end at %s, should at %s", stamp(c.Until), stamp(want))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// hardHold checks a hold that nobody ends but we or an administrator (I2).
func (g *editor) hardHold(c *claim) *no {
	if !g.Config.IAcceptOrphanHolds {
		return deny(invariant.OneField, "hard holds need i_accept_orphan_holds: if we die they stay")
	}
	return g.leasable(c.planned, c.job, g.at.Add(g.Config.LeaseMax))
}

// resize checks the GPU count of an elastic pending job (I2).
func (g *editor) resize(c *claim) *no {
	p := c.planned
	lo, hi := int64(p.MinGPUs), int64(p.MaxGPUs)
	switch {
	case lo < 1 || hi < lo:
		return deny(invariant.OneField, "it is not elastic")
	case c.Value < lo || c.Value > hi:
		return deny(invariant.OneField, "%d GPUs are not between its owner's %d and %d", c.Value, lo, hi)
	case c.job.Unsplit() || !c.job.Batch:
		return deny(invariant.ExemptJobs, "only single batch jobs are resized")
	}
	return nil
}

// requeue checks a stop against everything but what Plan alone can see (I5, I6,
// I7, I8, I9).
func (g *editor) requeue(c *claim) *no {
	return first(
		func() *no { return g.stopping(c, g.allowed(c.Run.Job)) },
		func() *no {
			if at, n := g.warned(c.planned, c.job); n != nil || at != ready {
				return cmp.Or(n, deny(invariant.MinimumRun, "its script was not warned in time"))
			}
			return nil
		},
	)
}

// warn checks a warning, which is the beginning of a stop (I5 to I9).
func (g *editor) warn(c *claim) *no {
	w := g.toWarn(c.Run.Job)
	if w == nil {
		return deny(invariant.StopPurpose, "the plan let through does not warn it")
	}
	return first(
		func() *no { return g.stopping(c, &w.Stop) },
		func() *no {
			want := g.Notices[c.Run.Job]
			if at, n := g.warned(c.planned, c.job); n != nil || at != unasked {
				return cmp.Or(n, deny(invariant.MinimumRun, "it was warned already"))
			}
			if c.Signal != want.Signal || c.Grace() != want.Grace {
				return deny(invariant.MinimumRun, "it is to be warned by %s, %v ahead", want.Signal, want.Grace)
			}
			return nil
		},
	)
}

// stopping says why the job may not be stopped.
func (g *editor) stopping(c *claim, stop *bridge.Stop) *no {
	j := c.job
	return first(
		func() *no {
			switch {
			case stop == nil:
				return deny(invariant.StopPurpose, "the plan let through does not stop it")
			case slices.ContainsFunc(g.in.Requeued, c.Run.Same):
				return deny(invariant.RequeuedOnce, "this run was requeued once already")
			case g.unknown(c.Run.Job):
				return deny(invariant.RequeuedOnce, "the outcome of an earlier edit is unknown and may still come")
			case c.Array != j.TaskAddress():
				return deny(invariant.RequeuedOnce, "its address is %q, not %q", j.TaskAddress(), c.Array)
			}
			return nil
		},
		func() *no { return requeueable(c.planned, j) },
		func() *no { return g.ranEnough(c.planned, j) },
		func() *no { return g.pingPong(*stop, g.displaced()) },
		func() *no { return g.budget.check(g.stopOf(c.planned, stop.For)) },
	)
}

// displaced are the pairs of this cycle's accepted requeues.
func (g *editor) displaced() pairs {
	p := pairs{}
	for _, s := range g.budget.stops[len(g.Stops):] {
		p[pair{s.Job, s.For}] = true
	}
	return p
}
