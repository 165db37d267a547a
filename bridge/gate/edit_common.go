package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// needs is the mode each kind of edit needs. Giving back needs Rank only.
var needs = map[slurm.Kind]bridge.Mode{
	slurm.SiteFactor: bridge.Rank, slurm.Nice: bridge.Rank, slurm.Priority: bridge.Rank, slurm.HandBack: bridge.Rank,
	slurm.Unlease: bridge.Rank, slurm.Lease: bridge.Steer, slurm.HardHold: bridge.Steer, slurm.Require: bridge.Steer,
	slurm.Exclude: bridge.Steer, slurm.SetGPUs: bridge.Steer, slurm.Requeue: bridge.Preempt, slurm.Warn: bridge.Preempt,
}

// shape says why an edit is not exactly one thing (I2).
func shape(e slurm.Edit) *no {
	if _, ok := needs[e.Kind]; !ok {
		return deny(invariant.OneField, "there is no such edit")
	}
	value, until, nodes, array := false, false, false, false
	if e.Signal.Known() != (e.Kind == slurm.Warn) || e.Signal != "" && !e.Signal.Known() {
		return deny(invariant.OneField, "it carries no signal that it may, or one that it must not")
	}
	switch e.Kind {
	case slurm.SiteFactor, slurm.Nice, slurm.Priority, slurm.HandBack, slurm.SetGPUs:
		value = true
	case slurm.Lease, slurm.Unlease:
		until = true
	case slurm.Require, slurm.Exclude:
		nodes = true
	case slurm.Requeue:
		array = true
	case slurm.Warn:
		value, array = true, true
	}
	if !value && e.Value != 0 || until == e.Until.IsZero() || !nodes && len(e.Nodes) > 0 || !array && e.Array != "" {
		return deny(invariant.OneField, "it carries values of other fields, or lacks its own")
	}
	if !slices.IsSorted(e.Nodes) || len(slices.Compact(slices.Clone(e.Nodes))) != len(e.Nodes) {
		return deny(invariant.OneField, "its nodes are not sorted, or named twice")
	}
	return nil
}

// identity says why the edit is not for the run the view shows (I13).
func (g *editor) identity(c *claim) *no {
	switch {
	case c.job == nil:
		return deny(invariant.FreshView, "the view does not show the job")
	case !c.job.Run().Same(c.Run):
		return deny(invariant.FreshView, "the view shows another run, %v", c.job.Run())
	}
	return nil
}

func (g *editor) allowedMode(c *claim) *no {
	need := needs[c.Kind]
	if c.back {
		need = bridge.Rank
	}
	m := g.in.Mode
	if !c.back {
		m = g.mode(c.job, m)
	}
	if !m.Allows(need) {
		return deny(invariant.WithinMode, "mode %s does not allow it", m)
	}
	return nil
}

// ours says why the field is not ours to write (I3).
func (g *editor) ours(c *claim) *no {
	at := c.Writes()
	switch {
	case g.taken[at]:
		return deny(invariant.OnlyOurs, "another edit of this cycle writes %s", at.Field)
	case g.in.Book.Open(at.Job, at.Field) != nil:
		return deny(invariant.OnlyOurs, "the outcome of an earlier edit of %s is still open", at.Field)
	case g.in.Book.Yielded(c.job.Run(), g.at) != nil:
		return deny(invariant.OnlyOurs, "somebody changed the job after us")
	case c.back && c.standing == nil:
		return deny(invariant.OnlyOurs, "no value of ours stands in %s", at.Field)
	}
	if c.standing != nil && actuator.Whose(c.standing, c.job) == actuator.Theirs {
		return deny(invariant.OnlyOurs, "%s is not what we wrote any more", at.Field)
	}
	return nil
}

// scope says why the job is none of our business. A value of ours is taken
// back even from a job that became exempt.
func (g *editor) scope(c *claim) *no {
	if c.back {
		return nil
	}
	if c.planned == nil {
		return deny(invariant.ExemptJobs, "the job is not in the snapshot of partition %s", g.Partition)
	}
	return g.exempt(c.job)
}

// cool says why the field was written too lately (I10). Giving back and
// requeues, which have a cooldown of their own, do not wait.
func (g *editor) cool(c *claim) *no {
	last, ok := g.in.Touched[c.Writes()]
	if !ok || c.back || c.Kind == slurm.Requeue {
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
func (g *editor) affordable(c *claim) *no {
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
