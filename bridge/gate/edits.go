package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// FilterEdits is the last look, between Diff and the ledger. It returns the edits
// that may be intended, in the order in which they should be sent, and why the
// others may not. It trusts nothing that earlier steps promised: what an edit
// relies on is read from the view and the book. Edits is pure and changes none
// of its input.
func FilterEdits(in EditInput) ([]slurm.Edit, []bridge.Refusal) {
	g := &editGate{in: in}
	if n := g.checkSending(); n != nil {
		return nil, refuseEdits(in.Edits, n)
	}
	g.facts = newFacts(in.CommonInput)
	g.budget = newStopBudget(&g.facts)
	g.taskEditsLeft = EditBudget(&in.Budgets, in.View, in.Interval) - in.EditedTaskCount
	g.nothingAccepted = in.EditedTaskCount == 0
	g.takenFields = map[slurm.JobField]bool{}
	for _, e := range g.sortedClaims() {
		g.decideEdit(e)
	}
	sortRefusals(g.refused)
	return g.accepted, g.refused
}

type editGate struct {
	facts
	in              EditInput
	budget          *stopBudget
	taskEditsLeft   int                     // of the edit budget, in tasks
	nothingAccepted bool                    // nothing has been let through in this cycle
	takenFields     map[slurm.JobField]bool // fields that an edit let through writes
	accepted        []slurm.Edit
	refused         []bridge.Refusal
}

// checkSending says why nothing at all may be sent.
func (g *editGate) checkSending() *denial {
	in := &g.in
	return firstDenial(
		func() *denial {
			if !in.Mode.Allows(bridge.Rank) {
				return deny(invariant.WithinMode, "mode %s sends nothing", cmp.Or(in.Mode, bridge.Off))
			}
			return nil
		},
		in.checkView, in.checkLeadership,
		func() *denial {
			if in.Book == nil {
				return deny(invariant.OnlyOurValues, "there is no ledger")
			}
			return nil
		},
	)
}

func refuseEdits(edits []slurm.Edit, n *denial) []bridge.Refusal {
	rs := make([]bridge.Refusal, len(edits))
	for i, e := range edits {
		rs[i] = refusalOf(e, n)
	}
	sortRefusals(rs)
	return rs
}

func refusalOf(e slurm.Edit, n *denial) bridge.Refusal {
	return bridge.Refusal{Job: policy.JobID(e.Run.Job), Invariant: n.ID, Why: string(e.Kind) + ": " + n.Why}
}

// editClaim is an edit with all that is known of its job.
type editClaim struct {
	actuator.Claim
	taskCount int
}

func (g *editGate) claimFor(e slurm.Edit) editClaim {
	c := editClaim{actuator.Claim{Job: g.View.Job(e.Run.Job), PlannedJob: g.job(e.Run.Job)}, max(e.Tasks, 1)}
	if c.Job != nil {
		c.Claim = g.facts.newClaim(c.PlannedJob, c.Job)
		c.Book = g.in.Book
		c.StandingIntent = g.in.Book.StandingIntent(c.Job.CurrentRun(), e.Kind.Field(), g.clusterTime)
		var own *bridge.Before
		if c.StandingIntent != nil {
			own = &c.StandingIntent.Before
		}
		c.GivesBack = actuator.GivesBack(e, own)
	}
	if c.PlannedJob != nil {
		c.taskCount = max(c.taskCount, c.PlannedJob.Tasks)
	}
	c.Edit, c.Row = e, actuator.KindRowOf(e.Kind)
	return c
}

// sortedClaims returns the claims, those first that should use up the budget first.
func (g *editGate) sortedClaims() []editClaim {
	cs := make([]editClaim, len(g.in.Edits))
	for i, e := range g.in.Edits {
		cs[i] = g.claimFor(e)
	}
	slices.SortStableFunc(cs, func(a, b editClaim) int {
		return cmp.Or(cmp.Compare(a.Turn(), b.Turn()), cmp.Compare(g.stopRank(&a), g.stopRank(&b)),
			cmp.Compare(a.Run.Job, b.Run.Job), cmp.Compare(a.Kind, b.Kind), compareEdits(a.Edit, b.Edit))
	})
	return cs
}

// compareEdits makes the order total, so that the order of the input is of no
// consequence.
func compareEdits(a, b slurm.Edit) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), a.Until.Compare(b.Until), slices.Compare(a.Nodes, b.Nodes),
		cmp.Compare(a.Array, b.Array), cmp.Compare(a.Signal, b.Signal), cmp.Compare(a.Tasks, b.Tasks), cmp.Compare(a.Why, b.Why),
		cmp.Compare(a.Run.Submit, b.Run.Submit), cmp.Compare(a.Run.Restarts, b.Run.Restarts), cmp.Compare(a.Run.SLUID, b.Run.SLUID))
}

// stopRank is the place a stop has among the stops FilterPlan let through; others go by
// job.
func (g *editGate) stopRank(c *editClaim) int {
	switch c.Row.Stopping {
	case actuator.StopsNow:
		return slices.IndexFunc(g.in.AllowedStops, func(s bridge.Stop) bool { return s.Job == c.Run.Job })
	case actuator.StopsLater: // after the requeues, whose grace is over
		return len(g.in.AllowedStops) + slices.IndexFunc(g.in.AllowedWarnings, func(w bridge.PlannedWarning) bool { return w.Job == c.Run.Job })
	}
	return 0
}

func (g *editGate) decideEdit(c editClaim) {
	if n := g.checkClaim(&c); n != nil {
		g.refused = append(g.refused, refusalOf(c.Edit, n))
		return
	}
	at := c.WrittenField()
	g.takenFields[at] = true
	g.taskEditsLeft, g.nothingAccepted = g.taskEditsLeft-c.taskCount, false
	switch c.Row.Stopping {
	case actuator.StopsNow:
		g.budget.addStop(*g.plannedStop(c.Run.Job))
	case actuator.StopsLater:
		g.budget.addStop(g.plannedWarning(c.Run.Job).Stop)
	}
	c.Tasks = c.taskCount
	g.accepted = append(g.accepted, c.Edit)
}

// plannedStop returns the stop of the job that FilterPlan let through, or nil.
func (g *editGate) plannedStop(job int64) *bridge.Stop {
	for i := range g.in.AllowedStops {
		if g.in.AllowedStops[i].Job == job {
			return &g.in.AllowedStops[i]
		}
	}
	return nil
}

// plannedWarning returns the warning of the job that FilterPlan let through, or nil.
func (g *editGate) plannedWarning(job int64) *bridge.PlannedWarning {
	for i := range g.in.AllowedWarnings {
		if g.in.AllowedWarnings[i].Job == job {
			return &g.in.AllowedWarnings[i]
		}
	}
	return nil
}

// checkClaim says why an edit may not be sent. The budgets come last, so that only
// what could be sent is counted.
func (g *editGate) checkClaim(c *editClaim) *denial {
	return firstDenial(
		func() *denial { return checkEditForm(c.Edit) },
		func() *denial { return g.checkRun(c) },
		func() *denial { return checkTouchable(c.Job) },
		func() *denial { return g.checkScope(c) },
		func() *denial { return g.checkMode(c) },
		func() *denial { return g.checkOwnership(c) },
		func() *denial { return g.checkBounds(c) },
		func() *denial { return g.checkCooldown(c) },
		func() *denial { return g.checkEditBudget(c) },
	)
}
