package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// shape says why an edit is not exactly one thing (I2).
func shape(e slurm.Edit) *denial {
	f, ok := e.Kind.Form()
	switch {
	case !ok:
		return deny(invariant.OneField, "there is no such edit")
	case e.Signal.Known() != f.HasSignal || e.Signal != "" && !e.Signal.Known():
		return deny(invariant.OneField, "it carries no signal that it may, or one that it must not")
	case !f.SetsValue && !f.CarriesValue && e.Value != 0 || f.HasUntil == e.Until.IsZero() || !f.HasNodes && len(e.Nodes) > 0 || !f.HasArray && e.Array != "":
		return deny(invariant.OneField, "it carries values of other fields, or lacks its own")
	case !slices.IsSorted(e.Nodes) || len(slices.Compact(slices.Clone(e.Nodes))) != len(e.Nodes):
		return deny(invariant.OneField, "its nodes are not sorted, or named twice")
	}
	return nil
}

// identity says why the edit is not for the run the view shows (I13).
func (g *editor) identity(c *claim) *denial {
	switch {
	case c.Job == nil:
		return deny(invariant.FreshView, "the view does not show the job")
	case !c.Job.Run().Same(c.Run):
		return deny(invariant.FreshView, "the view shows another run, %v", c.Job.Run())
	}
	return nil
}

func (g *editor) allowedMode(c *claim) *denial {
	need := c.Row.Needs
	if c.Back {
		need = bridge.Rank
	}
	m := g.in.Mode
	if !c.Back {
		m = g.weakestMode(c.Job, m)
	}
	if !m.Allows(need) {
		return deny(invariant.WithinMode, "mode %s does not allow it", m)
	}
	return nil
}

// ours says why the field is not ours to write (I3).
func (g *editor) ours(c *claim) *denial {
	at := c.Writes()
	switch {
	case g.taken[at]:
		return deny(invariant.OnlyOurs, "another edit of this cycle writes %s", at.Field)
	case g.in.Book.Open(at.Job, at.Field) != nil:
		return deny(invariant.OnlyOurs, "the outcome of an earlier edit of %s is still open", at.Field)
	case g.in.Book.Yielded(c.Job.Run(), g.at) != nil:
		return deny(invariant.OnlyOurs, "somebody changed the job after us")
	case c.Back && c.Standing == nil:
		return deny(invariant.OnlyOurs, "no value of ours stands in %s", at.Field)
	}
	if c.Standing != nil && actuator.Whose(c.Standing, c.Job) == actuator.Theirs {
		return deny(invariant.OnlyOurs, "%s is not what we wrote any more", at.Field)
	}
	return nil
}

// scope says why the job is none of our business. A value of ours is taken
// back even from a job that became exempt.
func (g *editor) scope(c *claim) *denial {
	if c.Back {
		return nil
	}
	if c.Planned == nil {
		return deny(invariant.ExemptJobs, "the job is not in the snapshot of partition %s", g.Partition)
	}
	return g.exempt(c.Job)
}

// kind says why the edit breaks a rule of its kind.
func (g *editor) kind(c *claim) *denial {
	f, _ := c.Kind.Form()
	switch {
	case c.Row.Stops == actuator.StopsNow:
		return g.requeue(c)
	case c.Row.Stops == actuator.StopsLater:
		return g.warn(c)
	case !c.Job.Pending() && !(c.Back && f.WhileRunning):
		return deny(invariant.OneField, "%s can only be written while the job is pending", c.Kind)
	}
	return c.Bounded()
}

// cool says why the field was written too lately (I10). Giving back and
// requeues, which have a cooldown of their own, do not wait.
func (g *editor) cool(c *claim) *denial {
	last, ok := g.in.Touched[c.Writes()]
	if !ok || c.Back || c.Row.Stops == actuator.StopsNow {
		return nil
	}
	if ago := g.Now.Sub(last); ago < g.Config.EditCooldown {
		return deny(invariant.WriteBudget, "the field was written %v ago, the least is %v", ago.Round(time.Millisecond), g.Config.EditCooldown)
	}
	return nil
}

// affordable says why the edit does not fit the write budget (I10). The first
// one of a cycle goes whatever its size: an array larger than the budget would
// never be reached otherwise.
func (g *editor) affordable(c *claim) *denial {
	if c.tasks <= g.left || g.untouched {
		return nil
	}
	return deny(invariant.WriteBudget, "it changes %d tasks, %d are left of this interval's budget", c.tasks, max(g.left, 0))
}

// WriteBudget is how many tasks may be changed in an interval (I10).
func WriteBudget(c *bridge.Budgets, v *slurm.View, interval time.Duration) int {
	live := 0
	for i := range v.Jobs {
		live += one(!v.Jobs[i].Done())
	}
	share := max(int(c.MutationPercent*float64(live)/100), c.MutationFloor)
	rate := int(c.MutationRate * interval.Seconds())
	return min(c.Mutations, share, rate)
}
