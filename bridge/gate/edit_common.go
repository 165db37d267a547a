package gate

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// checkEditForm says why an edit is not exactly one thing (I2).
func checkEditForm(e slurm.Edit) *denial {
	f, ok := e.Kind.Form()
	switch {
	case !ok:
		return deny(invariant.OneFieldPerEdit, "there is no such edit")
	case e.Signal.IsKnown() != f.HasSignal || e.Signal != "" && !e.Signal.IsKnown():
		return deny(invariant.OneFieldPerEdit, "it carries no signal that it may, or one that it must not")
	case !f.SetsValue && !f.CarriesValue && e.Value != 0 || f.HasUntil == e.Until.IsZero() || !f.HasNodes && len(e.Nodes) > 0 || !f.HasArray && e.Array != "" || !f.HasText && !f.HasGPUType && e.Text != "":
		return deny(invariant.OneFieldPerEdit, "it carries values of other fields, or lacks its own")
	case !slices.IsSorted(e.Nodes) || len(slices.Compact(slices.Clone(e.Nodes))) != len(e.Nodes):
		return deny(invariant.OneFieldPerEdit, "its nodes are not sorted, or named twice")
	}
	return nil
}

// checkSameRun says why the edit is not for the run the view shows (I13).
func (g *editGate) checkSameRun(c *editCandidate) *denial {
	switch {
	case c.SlurmJob == nil:
		return deny(invariant.FreshView, "the view does not show the job")
	case !c.SlurmJob.CurrentRun().IsSameRun(c.Run):
		return deny(invariant.FreshView, "the view shows another run, %v", c.SlurmJob.CurrentRun())
	}
	return nil
}

func (g *editGate) checkMode(c *editCandidate) *denial {
	need := c.EditKindRow.NeededMode
	switch {
	case c.GivesBack:
		need = bridge.ModeRank
	case c.Kind == slurm.EditRequeue && c.Value > 0: // for another size
		need = bridge.ModeElastic
	}
	m := g.input.Mode
	if !c.GivesBack {
		m = g.weakestModeOfJob(c.SlurmJob, m)
	}
	if !m.Allows(need) {
		return deny(invariant.WithinMode, "mode %s does not allow it", m)
	}
	return nil
}

// checkOwnership says why the field is not ours to write (I3).
func (g *editGate) checkOwnership(c *editCandidate) *denial {
	at := c.WrittenField()
	switch {
	case g.takenFields[at]:
		return deny(invariant.OnlyOurValues, "another edit of this cycle writes %s", at.Field)
	case g.input.IntentBook.OpenIntent(at.Job, at.Field) != nil:
		return deny(invariant.OnlyOurValues, "the outcome of an earlier edit of %s is still open", at.Field)
	case g.LeftAloneByJob[at.Job] != nil:
		return deny(invariant.OnlyOurValues, "%s", g.LeftAloneByJob[at.Job].LeftAloneText())
	case g.input.IntentBook.YieldedIntent(c.SlurmJob.CurrentRun(), g.clusterTime) != nil:
		return deny(invariant.OnlyOurValues, "somebody changed the job after us")
	case g.input.IntentBook.YieldedTelling(c.SlurmJob.CurrentRun(), at.Field, g.clusterTime) != nil:
		return deny(invariant.OnlyOurValues, "somebody wrote its %s after us", at.Field)
	case c.GivesBack && c.StandingIntent == nil:
		return deny(invariant.OnlyOurValues, "no value of ours stands in %s", at.Field)
	}
	if c.StandingIntent != nil && actuator.ValueOwnerOf(c.StandingIntent, c.SlurmJob) == actuator.OwnerOther {
		return deny(invariant.OnlyOurValues, "%s is not what we wrote any more", at.Field)
	}
	return nil
}

// checkJobInScope says why the job is none of our business. A value of ours is taken
// back even from a job that became exempt. Of a job that may start in several partitions, the one
// whose business it is gives back, as long as it sends anything: two that did it at once would each
// have an open intent for the field, and nothing at all would be sent.
func (g *editGate) checkJobInScope(c *editCandidate) *denial {
	if c.GivesBack {
		if p := managedPartition(g.ModeByPartition, c.SlurmJob); p != g.Partition && g.ModeByPartition[p].Allows(bridge.ModeRank) {
			return deny(invariant.ExemptJobs, "partition %s gives it back", p)
		}
		return nil
	}
	if c.SnapshotJob == nil {
		return deny(invariant.ExemptJobs, "the job is not in the snapshot of partition %s", g.Partition)
	}
	return g.checkNotExempt(c.SlurmJob)
}

// checkKindRules says why the edit breaks a rule of its kind.
func (g *editGate) checkKindRules(c *editCandidate) *denial {
	f, _ := c.Kind.Form()
	switch {
	case c.EditKindRow.StopTiming == actuator.StopsNow:
		return g.checkRequeue(c)
	case c.EditKindRow.StopTiming == actuator.StopsLater:
		return g.checkWarning(c)
	case !c.SlurmJob.IsPending() && !(c.GivesBack && f.AllowedWhileRunning):
		return deny(invariant.OneFieldPerEdit, "%s can only be written while the job is pending", c.Kind)
	}
	return c.CheckKindRules()
}

// checkCooldown says why the field was written too lately (I10). Giving back and
// requeues, which have a cooldown of their own, do not wait.
func (g *editGate) checkCooldown(c *editCandidate) *denial {
	last, ok := g.input.LastSentByField[c.WrittenField()]
	if !ok || c.GivesBack || c.EditKindRow.StopTiming == actuator.StopsNow {
		return nil
	}
	if ago := g.Now.Sub(last); ago < g.Budgets.EditCooldown {
		return deny(invariant.EditBudget, "the field was written %v ago, the least is %v", ago.Round(time.Millisecond), g.Budgets.EditCooldown)
	}
	return nil
}

// checkEditBudget says why the edit does not fit the edit budget (I10).
func (g *editGate) checkEditBudget(c *editCandidate) *denial {
	if c.EditKindRow.OnlyTells {
		return g.checkTellingBudget()
	}
	if actuator.BudgetCost(c.Edit) <= g.editsLeft {
		return nil
	}
	return deny(invariant.EditBudget, "%s are left of this interval's budget", policy.FormatCount(max(g.editsLeft, 0), "change"))
}

// EditBudget is how much all edits of an interval may take (I10), as actuator.BudgetCost counts; 1 at least.
func EditBudget(c *bridge.Budgets, v *slurm.View, interval time.Duration) int {
	live := 0
	for i := range v.Jobs {
		live += oneIf(!v.Jobs[i].IsDone())
	}
	share := max(int(c.EditPercent*float64(live)/100), c.EditFloor)
	rate := int(c.EditRate * interval.Seconds())
	return max(min(c.MaxEdits, share, rate), 1)
}
