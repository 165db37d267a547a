package gate

import (
	"cmp"
	"slices"

	"fairbridge/bridge/actuator"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
)

// completeBeforeStart returns the edits with those of a job that is set free directly ahead
// of the one that does so: once that is carried out, Slurm may start the job within
// milliseconds, and what says where and on how many GPUs would come too late. What frees
// jobs is not put off behind the edits of others.
func completeBeforeStart(edits []slurm.Edit) []slurm.Edit {
	isFreed := map[int64]bool{}
	for _, e := range edits {
		isFreed[e.Run.Job] = isFreed[e.Run.Job] || actuator.EditKindRowOf(e.Kind).LetsJobStart
	}
	ahead := map[int64][]slurm.Edit{}
	for _, e := range edits {
		if isFreed[e.Run.Job] && completesJob(e.Kind) {
			ahead[e.Run.Job] = append(ahead[e.Run.Job], e)
		}
	}
	var out []slurm.Edit
	for _, e := range edits {
		if isFreed[e.Run.Job] && completesJob(e.Kind) {
			continue
		}
		if actuator.EditKindRowOf(e.Kind).LetsJobStart {
			out = append(out, ahead[e.Run.Job]...)
			delete(ahead, e.Run.Job)
		}
		out = append(out, e)
	}
	return out
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

// completesJob reports whether an edit has to be carried out before its job starts.
func completesJob(k slurm.EditKind) bool {
	row := actuator.EditKindRowOf(k)
	return !row.LetsJobStart && !row.OnlyTells && row.StopTiming == actuator.NoStop
}

// checkBound says why the job must stay bound as it is, or is not known to be bound (I24).
func (g *editGate) checkBound(c *editCandidate) *denial {
	run, book := c.SlurmJob.CurrentRun(), g.input.IntentBook
	switch c.Kind {
	case slurm.EditSetShards:
		if book.OpenIntent(run.Job, slurm.FieldRequiredNodes) != nil {
			return deny(invariant.SharedGPUs, "it is not known to which node it is bound: the outcome of an earlier edit is still open")
		}
	case slurm.EditRequireNodes:
		if g.takenFields[slurm.JobField{Job: run.Job, Field: slurm.FieldGPUs}] && !g.asksShards(run.Job) {
			return nil // it gets its GPU back first
		}
		why := actuator.BoundReason(book.OpenIntent(run.Job, slurm.FieldGPUs), c.SlurmJob)
		if why = cmp.Or(why, actuator.BoundReason(book.StandingIntent(run, slurm.FieldGPUs, g.clusterTime), c.SlurmJob)); why != "" {
			return deny(invariant.SharedGPUs, "%s", why)
		}
	}
	return nil
}

// asksShards reports whether an edit that is let through asks for shards for the job.
func (g *editGate) asksShards(job int64) bool {
	return slices.ContainsFunc(g.acceptedEdits, func(e slurm.Edit) bool { return e.Run.Job == job && e.Kind == slurm.EditSetShards })
}

// sharedStarts returns the jobs that are to start on shards by edits that no record shows yet: of this cycle, in other
// partitions too, and those whose outcome is not known, which may still be carried out.
func (g *editGate) sharedStarts() []sharing.Start {
	out := slices.Clone(g.input.SharedElsewhere)
	for _, e := range g.acceptedEdits {
		if x, ok := sharing.StartOf(e); ok {
			out = append(out, x)
		}
	}
	for i := range g.View.Jobs {
		j := &g.View.Jobs[i]
		if in := g.input.IntentBook.OpenIntent(j.ID, slurm.FieldGPUs); in != nil && j.IsPending() {
			if x, ok := sharing.StartOf(in.Edit); ok {
				out = append(out, x)
			}
		}
	}
	return out
}
