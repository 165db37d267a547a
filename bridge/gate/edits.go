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
// relies on is read from the view and the book. FilterEdits is pure and changes none
// of its input.
func FilterEdits(in EditInput) ([]slurm.Edit, []bridge.Refusal) {
	g := &editGate{input: in}
	if n := g.checkMaySend(); n != nil {
		return nil, refuseEdits(in.Edits, n)
	}
	g.facts = newFacts(in.CommonInput)
	g.stopBudget = newStopBudget(&g.facts)
	g.editsLeft = EditBudget(&in.Budgets, in.View, in.CycleInterval) - in.EditsSpentElsewhere
	g.tellingsLeft = maxTellings - in.ToldElsewhere
	g.takenFields = map[slurm.JobField]bool{}
	for _, e := range g.sortedCandidates() {
		g.decideEdit(e)
	}
	g.refusePartialStops()
	sortRefusals(g.refusals)
	return actuator.CompleteBeforeStart(g.withoutVainPins()), g.refusals
}

type editGate struct {
	facts
	input         EditInput
	stopBudget    *stopBudget
	editsLeft     int                     // of the edit budget, as actuator.BudgetCost counts
	tellingsLeft  int                     // of the budget of edits that only tell
	takenFields   map[slurm.JobField]bool // fields that an edit let through writes
	acceptedEdits []slurm.Edit
	refusals      []bridge.Refusal
}

// checkMaySend says why nothing at all may be sent.
func (g *editGate) checkMaySend() *denial {
	in := &g.input
	return firstDenial(
		func() *denial {
			if !in.Mode.Allows(bridge.ModeRank) {
				return deny(invariant.WithinMode, "mode %s sends nothing", cmp.Or(in.Mode, bridge.ModeOff))
			}
			return nil
		},
		in.checkViewUsable, in.checkLeadershipLasts,
		func() *denial {
			if in.IntentBook == nil {
				return deny(invariant.OnlyOurValues, "there is no ledger")
			}
			return nil
		},
	)
}

// refusePartialStops refuses the stops for a job for which others were to be stopped too and are not: it
// would not fit (I8).
func (g *editGate) refusePartialStops() {
	isStopped := map[int64]bool{}
	for _, e := range g.acceptedEdits {
		isStopped[e.Run.Job] = isStopped[e.Run.Job] || actuator.EditKindRowOf(e.Kind).StopTiming == actuator.StopsNow
	}
	runsOnFor := map[int64]int64{} // the job that runs on, by the one it was to make room for
	for _, s := range g.input.AllowedStops {
		if !isStopped[s.Job] {
			runsOnFor[s.Beneficiary] = s.Job
		}
	}
	g.acceptedEdits = slices.DeleteFunc(g.acceptedEdits, func(e slurm.Edit) bool {
		stop := g.plannedStop(e.Run.Job)
		if stop == nil || actuator.EditKindRowOf(e.Kind).StopTiming != actuator.StopsNow {
			return false
		}
		other := runsOnFor[stop.Beneficiary]
		if other == 0 {
			return false
		}
		why := deny(invariant.StopPurpose, "job %d, which was to be stopped with it, runs on", other)
		g.refusals = append(g.refusals, newRefusal(e, why))
		return true
	})
}

// withoutVainPins returns the edits let through without those that bind a job to a node for shards that
// it must not be given: bound as it asks it might wait there for a GPU that others share.
func (g *editGate) withoutVainPins() []slurm.Edit {
	unshared := map[int64]bool{}
	for _, e := range g.input.Edits {
		unshared[e.Run.Job] = unshared[e.Run.Job] || e.Kind == slurm.EditSetShards
	}
	for _, e := range g.acceptedEdits {
		if e.Kind == slurm.EditSetShards {
			delete(unshared, e.Run.Job)
		}
	}
	return slices.DeleteFunc(g.acceptedEdits, func(e slurm.Edit) bool {
		return unshared[e.Run.Job] && e.Kind == slurm.EditRequireNodes && len(e.Nodes) > 0
	})
}

func refuseEdits(edits []slurm.Edit, n *denial) []bridge.Refusal {
	rs := make([]bridge.Refusal, len(edits))
	for i, e := range edits {
		rs[i] = newRefusal(e, n)
	}
	sortRefusals(rs)
	return rs
}

func newRefusal(e slurm.Edit, n *denial) bridge.Refusal {
	return bridge.Refusal{Job: policy.JobID(e.Run.Job), Invariant: n.ID, Why: string(e.Kind) + ": " + n.Why}
}

// editCandidate is an edit with all that is known of its job.
type editCandidate struct {
	actuator.EditContext
}

func (g *editGate) newCandidate(e slurm.Edit) editCandidate {
	c := editCandidate{actuator.EditContext{SlurmJob: g.View.Job(e.Run.Job), SnapshotJob: g.snapshotJob(e.Run.Job)}}
	if c.SlurmJob != nil {
		c.EditContext = g.facts.newEditContext(c.SnapshotJob, c.SlurmJob)
		c.IntentBook, c.OpenIntent, c.EditsElsewhere = g.input.IntentBook, g.input.IntentBook.OpenIntent, g.input.EditsElsewhere
		c.StandingIntent = g.input.IntentBook.StandingIntent(c.SlurmJob.CurrentRun(), e.Kind.Field(), g.clusterTime)
		var own *bridge.JobBefore
		if c.StandingIntent != nil {
			own = &c.StandingIntent.Before
		}
		c.GivesBack = actuator.GivesBack(e, own)
	}
	if e.Tasks = max(e.Tasks, 1); c.SnapshotJob != nil {
		e.Tasks = max(e.Tasks, c.SnapshotJob.Tasks)
	}
	c.Edit, c.EditKindRow = e, actuator.EditKindRowOf(e.Kind)
	return c
}

// sortedCandidates returns the candidates, those first that should use up the budget first.
func (g *editGate) sortedCandidates() []editCandidate {
	cs := make([]editCandidate, len(g.input.Edits))
	for i, e := range g.input.Edits {
		cs[i] = g.newCandidate(e)
	}
	slices.SortStableFunc(cs, func(a, b editCandidate) int {
		return cmp.Or(cmp.Compare(a.SendPhase(), b.SendPhase()), cmp.Compare(g.stopRank(&a), g.stopRank(&b)), cmp.Compare(tellingRank(&a), tellingRank(&b)),
			cmp.Compare(b.Move(), a.Move()),
			cmp.Compare(a.Run.Job, b.Run.Job), cmp.Compare(a.Kind, b.Kind), compareEdits(a.Edit, b.Edit))
	})
	return cs
}

// compareEdits makes the order total, so that the order of the input is of no
// consequence.
func compareEdits(a, b slurm.Edit) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), a.Until.Compare(b.Until), slices.Compare(a.Nodes, b.Nodes), cmp.Compare(a.Text, b.Text),
		cmp.Compare(a.Array, b.Array), cmp.Compare(a.Signal, b.Signal), cmp.Compare(a.Tasks, b.Tasks), cmp.Compare(a.Why, b.Why),
		cmp.Compare(a.Run.Submit, b.Run.Submit), cmp.Compare(a.Run.Restarts, b.Run.Restarts), cmp.Compare(a.Run.SLUID, b.Run.SLUID))
}

// stopRank is the place a stop has among the stops FilterPlan let through; others go by
// job.
func (g *editGate) stopRank(c *editCandidate) int {
	switch c.EditKindRow.StopTiming {
	case actuator.StopsNow:
		return slices.IndexFunc(g.input.AllowedStops, func(s bridge.Stop) bool { return s.Job == c.Run.Job })
	case actuator.StopsLater: // after the requeues, whose grace is over
		return len(g.input.AllowedStops) + slices.IndexFunc(g.input.AllowedWarnings, func(w bridge.PlannedWarning) bool { return w.Job == c.Run.Job })
	}
	return 0
}

func (g *editGate) decideEdit(c editCandidate) {
	c.EditsBefore = g.acceptedEdits
	if n := g.checkCandidate(&c); n != nil {
		g.refusals = append(g.refusals, newRefusal(c.Edit, n))
		return
	}
	at := c.WrittenField()
	g.takenFields[at] = true
	g.spendEditBudget(&c)
	switch c.EditKindRow.StopTiming {
	case actuator.StopsNow:
		g.stopBudget.addStop(*g.plannedStop(c.Run.Job))
	case actuator.StopsLater:
		g.stopBudget.addStop(g.plannedWarning(c.Run.Job).Stop)
	}
	g.acceptedEdits = append(g.acceptedEdits, c.Edit)
}

// plannedStop returns the stop of the job that FilterPlan let through, or nil.
func (g *editGate) plannedStop(job int64) *bridge.Stop {
	for i := range g.input.AllowedStops {
		if g.input.AllowedStops[i].Job == job {
			return &g.input.AllowedStops[i]
		}
	}
	return nil
}

// plannedWarning returns the warning of the job that FilterPlan let through, or nil.
func (g *editGate) plannedWarning(job int64) *bridge.PlannedWarning {
	for i := range g.input.AllowedWarnings {
		if g.input.AllowedWarnings[i].Job == job {
			return &g.input.AllowedWarnings[i]
		}
	}
	return nil
}

// checkCandidate says why an edit may not be sent. The budgets come last, so that only
// what could be sent is counted.
func (g *editGate) checkCandidate(c *editCandidate) *denial {
	return firstDenial(
		func() *denial { return checkEditForm(c.Edit) },
		func() *denial { return g.checkSameRun(c) },
		func() *denial { return checkJobWritable(c.SlurmJob) },
		func() *denial { return g.checkJobInScope(c) },
		func() *denial { return g.checkMode(c) },
		func() *denial { return g.checkOwnership(c) },
		func() *denial { return g.checkKindRules(c) },
		func() *denial { return g.checkCooldown(c) },
		func() *denial { return g.checkEditBudget(c) },
	)
}
