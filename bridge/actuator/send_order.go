package actuator

import "fairbridge/bridge/slurm"

// CompleteBeforeStart returns the edits with those of a job that is set free directly ahead
// of the one that does so: once that is carried out, Slurm may start the job within
// milliseconds, and what says where and on how many GPUs would come too late. What frees
// jobs is not put off behind the edits of others.
func CompleteBeforeStart(edits []slurm.Edit) []slurm.Edit {
	isFreed := map[int64]bool{}
	for _, e := range edits {
		isFreed[e.Run.Job] = isFreed[e.Run.Job] || EditKindRowOf(e.Kind).LetsJobStart
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
		if EditKindRowOf(e.Kind).LetsJobStart {
			out = append(out, ahead[e.Run.Job]...)
			delete(ahead, e.Run.Job)
		}
		out = append(out, e)
	}
	return out
}

// completesJob reports whether an edit has to be carried out before its job starts.
func completesJob(k slurm.EditKind) bool {
	row := EditKindRowOf(k)
	return !row.LetsJobStart && !row.OnlyTells && row.StopTiming == NoStop
}
