package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// checkRequeue checks a stop against everything but what FilterPlan alone can see (I5, I6,
// I7, I8, I9).
func (g *editGate) checkRequeue(c *editCandidate) *denial {
	return firstDenial(
		func() *denial { return g.checkStop(c, g.plannedStop(c.Run.Job)) },
		func() *denial {
			if planned := g.plannedStop(c.Run.Job); c.Value != int64(planned.ResumeGPUs) || c.Text != planned.ResumeType {
				return deny(invariant.DeclaredSizes, "it would resume on %v, the plan let through has it resume on %v (0: as it was)",
					actuator.Size{Count: c.Value, Type: c.Text}, actuator.Size{Count: int64(planned.ResumeGPUs), Type: planned.ResumeType})
			}
			if at, n := g.warnStateOf(c.SlurmJob); n != nil || at != warnStateReady {
				return cmp.Or(n, deny(invariant.MinimumRun, "its script was not warned in time"))
			}
			return nil
		},
	)
}

// checkWarning checks a warning, which is the beginning of a stop (I5 to I9).
func (g *editGate) checkWarning(c *editCandidate) *denial {
	w := g.plannedWarning(c.Run.Job)
	if w == nil {
		return deny(invariant.StopPurpose, "the plan let through does not warn it")
	}
	return firstDenial(
		func() *denial { return g.checkStop(c, &w.Stop) },
		func() *denial {
			want := g.NoticeByJob[c.Run.Job]
			if at, n := g.warnStateOf(c.SlurmJob); n != nil || at != warnStateUnwarned {
				return cmp.Or(n, deny(invariant.MinimumRun, "it was warned already"))
			}
			if c.Signal != want.Signal || c.Grace() != want.Grace {
				return deny(invariant.MinimumRun, "it is to be warned by %s, %v ahead", want.Signal, want.Grace)
			}
			return nil
		},
	)
}

// checkStop says why the job may not be stopped.
func (g *editGate) checkStop(c *editCandidate, stop *bridge.Stop) *denial {
	j := c.SlurmJob
	return firstDenial(
		func() *denial {
			switch {
			case stop == nil:
				return deny(invariant.StopPurpose, "the plan let through does not stop it")
			case slices.ContainsFunc(g.input.RequeuedRuns, c.Run.IsSameRun):
				return deny(invariant.RequeuedOnce, "this run was requeued once already")
			case g.mayEditBeUnderWay(c.Run.Job):
				return deny(invariant.RequeuedOnce, "the outcome of an earlier edit is unknown and may still come")
			case j.IsUnsplitArray():
				return deny(invariant.RequeuedOnce, "it stands for several tasks of array %d", j.ArrayJobID)
			case c.Array != j.TaskAddress():
				return deny(invariant.RequeuedOnce, "its address is %q, not %q", j.TaskAddress(), c.Array)
			}
			return nil
		},
		g.checkWholeList,
		func() *denial { return g.checkStoppable(c.SnapshotJob, stop.Beneficiary) },
		func() *denial { return g.checkPingPong(*stop, g.acceptedStops()) },
		func() *denial { return g.stopBudget.checkStop(g.newStop(c.SnapshotJob, stop.Beneficiary)) },
	)
}

// acceptedStops are the jobs, and whom for, of this cycle's accepted requeues.
func (g *editGate) acceptedStops() stopPairs {
	p := stopPairs{}
	for _, s := range g.stopBudget.countedStops[len(g.RecentStops):] {
		p[stopPair{s.Job, s.Beneficiary}] = true
	}
	return p
}

// editableFields are all fields of a job that an edit can write.
var editableFields = actuator.FieldsWhere(func(*actuator.EditKindRow) bool { return true })

// mayEditBeUnderWay reports whether something sent to the job may still be carried out.
func (g *editGate) mayEditBeUnderWay(job int64) bool {
	return slices.ContainsFunc(editableFields, func(f slurm.Field) bool {
		in := g.input.IntentBook.OpenIntent(job, f)
		return in != nil && in.State == bridge.IntentUnknown
	})
}
