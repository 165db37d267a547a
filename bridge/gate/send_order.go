package gate

import (
	"slices"

	"fairbridge/bridge/actuator"
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
