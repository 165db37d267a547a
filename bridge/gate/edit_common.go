package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// checkEditForm says why an edit is not exactly one thing (I2).
func checkEditForm(e slurm.Edit) *denial {
	f, ok := e.Kind.Form()
	switch {
	case !ok:
		return deny(invariant.OneField, "there is no such edit")
	case e.Signal.IsKnown() != f.HasSignal || e.Signal != "" && !e.Signal.IsKnown():
		return deny(invariant.OneField, "it carries no signal that it may, or one that it must not")
	case !f.SetsValue && !f.CarriesValue && e.Value != 0 || f.HasUntil == e.Until.IsZero() || !f.HasNodes && len(e.Nodes) > 0 || !f.HasArray && e.Array != "":
		return deny(invariant.OneField, "it carries values of other fields, or lacks its own")
	case !slices.IsSorted(e.Nodes) || len(slices.Compact(slices.Clone(e.Nodes))) != len(e.Nodes):
		return deny(invariant.OneField, "its nodes are not sorted, or named twice")
	}
	return nil
}

// checkRun says why the edit is not for the run the view shows (I13).
func (g *editGate) checkRun(c *editClaim) *denial {
	switch {
	case c.Job == nil:
		return deny(invariant.FreshView, "the view does not show the job")
	case !c.Job.Run().SameRun(c.Run):
		return deny(invariant.FreshView, "the view shows another run, %v", c.Job.Run())
	}
	return nil
}

func (g *editGate) checkMode(c *editClaim) *denial {
	need := c.Row.Needs
	if c.GivesBack {
		need = bridge.Rank
	}
	m := g.in.Mode
	if !c.GivesBack {
		m = g.weakestMode(c.Job, m)
	}
	if !m.Allows(need) {
		return deny(invariant.WithinMode, "mode %s does not allow it", m)
	}
	return nil
}

// checkOwnership says why the field is not ours to write (I3).
func (g *editGate) checkOwnership(c *editClaim) *denial {
	at := c.WrittenField()
	switch {
	case g.takenFields[at]:
		return deny(invariant.OnlyOurs, "another edit of this cycle writes %s", at.Field)
	case g.in.Book.OpenIntent(at.Job, at.Field) != nil:
		return deny(invariant.OnlyOurs, "the outcome of an earlier edit of %s is still open", at.Field)
	case g.in.Book.YieldedIntent(c.Job.Run(), g.clusterTime) != nil:
		return deny(invariant.OnlyOurs, "somebody changed the job after us")
	case c.GivesBack && c.Standing == nil:
		return deny(invariant.OnlyOurs, "no value of ours stands in %s", at.Field)
	}
	if c.Standing != nil && actuator.OwnerOf(c.Standing, c.Job) == actuator.Theirs {
		return deny(invariant.OnlyOurs, "%s is not what we wrote any more", at.Field)
	}
	return nil
}

// checkScope says why the job is none of our business. A value of ours is taken
// back even from a job that became exempt.
func (g *editGate) checkScope(c *editClaim) *denial {
	if c.GivesBack {
		return nil
	}
	if c.Planned == nil {
		return deny(invariant.ExemptJobs, "the job is not in the snapshot of partition %s", g.Partition)
	}
	return g.checkExempt(c.Job)
}

// checkBounds says why the edit breaks a rule of its kind.
func (g *editGate) checkBounds(c *editClaim) *denial {
	f, _ := c.Kind.Form()
	switch {
	case c.Row.Stops == actuator.StopsNow:
		return g.checkRequeue(c)
	case c.Row.Stops == actuator.StopsLater:
		return g.checkWarning(c)
	case !c.Job.Pending() && !(c.GivesBack && f.WhileRunning):
		return deny(invariant.OneField, "%s can only be written while the job is pending", c.Kind)
	}
	return c.CheckBounds()
}

// checkCooldown says why the field was written too lately (I10). Giving back and
// requeues, which have a cooldown of their own, do not wait.
func (g *editGate) checkCooldown(c *editClaim) *denial {
	last, ok := g.in.Touched[c.WrittenField()]
	if !ok || c.GivesBack || c.Row.Stops == actuator.StopsNow {
		return nil
	}
	if ago := g.Now.Sub(last); ago < g.Budgets.EditCooldown {
		return deny(invariant.WriteBudget, "the field was written %v ago, the least is %v", ago.Round(time.Millisecond), g.Budgets.EditCooldown)
	}
	return nil
}

// checkWriteBudget says why the edit does not fit the write budget (I10). The first
// one of a cycle goes whatever its size: an array larger than the budget would
// never be reached otherwise.
func (g *editGate) checkWriteBudget(c *editClaim) *denial {
	if c.tasks <= g.writesLeft || g.nothingAccepted {
		return nil
	}
	return deny(invariant.WriteBudget, "it changes %d tasks, %d are left of this interval's budget", c.tasks, max(g.writesLeft, 0))
}

// WriteBudget is how many tasks may be changed in an interval (I10).
func WriteBudget(c *bridge.Budgets, v *slurm.View, interval time.Duration) int {
	live := 0
	for i := range v.Jobs {
		live += oneIf(!v.Jobs[i].IsDone())
	}
	share := max(int(c.MutationPercent*float64(live)/100), c.MutationFloor)
	rate := int(c.MutationRate * interval.Seconds())
	return min(c.Mutations, share, rate)
}
