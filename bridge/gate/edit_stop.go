package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// requeue checks a stop against everything but what Plan alone can see (I5, I6,
// I7, I8, I9).
func (g *editor) requeue(c *claim) *denial {
	return first(
		func() *denial { return g.stopping(c, g.stopOfPlan(c.Run.Job)) },
		func() *denial {
			if at, n := g.warned(c.Planned, c.Job); n != nil || at != ready {
				return cmp.Or(n, deny(invariant.MinimumRun, "its script was not warned in time"))
			}
			return nil
		},
	)
}

// warn checks a warning, which is the beginning of a stop (I5 to I9).
func (g *editor) warn(c *claim) *denial {
	w := g.warnOfPlan(c.Run.Job)
	if w == nil {
		return deny(invariant.StopPurpose, "the plan let through does not warn it")
	}
	return first(
		func() *denial { return g.stopping(c, &w.Stop) },
		func() *denial {
			want := g.Notices[c.Run.Job]
			if at, n := g.warned(c.Planned, c.Job); n != nil || at != unasked {
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
func (g *editor) stopping(c *claim, stop *bridge.Stop) *denial {
	j := c.Job
	return first(
		func() *denial {
			switch {
			case stop == nil:
				return deny(invariant.StopPurpose, "the plan let through does not stop it")
			case slices.ContainsFunc(g.in.Requeued, c.Run.Same):
				return deny(invariant.RequeuedOnce, "this run was requeued once already")
			case g.unknown(c.Run.Job):
				return deny(invariant.RequeuedOnce, "the outcome of an earlier edit is unknown and may still come")
			case j.IsUnsplitArray():
				return deny(invariant.RequeuedOnce, "it stands for several tasks of array %d", j.ArrayJob)
			case c.Array != j.TaskAddress():
				return deny(invariant.RequeuedOnce, "its address is %q, not %q", j.TaskAddress(), c.Array)
			}
			return nil
		},
		func() *denial { return requeueable(c.Planned, j) },
		func() *denial { return g.ranEnough(c.Planned, j) },
		func() *denial { return g.pingPong(*stop, g.displaced()) },
		func() *denial { return g.budget.check(g.stopOf(c.Planned, stop.For)) },
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

// fields are all fields of a job that an edit can write.
var fields = actuator.Fields(func(*actuator.Row) bool { return true })

// unknown reports whether something sent to the job may still be carried out.
func (g *editor) unknown(job int64) bool {
	return slices.ContainsFunc(fields, func(f slurm.Field) bool {
		in := g.in.Book.Open(job, f)
		return in != nil && in.State == bridge.Unknown
	})
}
