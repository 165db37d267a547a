package actuator

import (
	"math"

	"fairbridge/bridge/slurm"
)

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

// BudgetCost is what an edit takes of the edit budget (I10): 1, because a call costs slurmctld the same
// however many tasks the record stands for; of a stop one for each task; of an edit that only tells, nothing.
func BudgetCost(e slurm.Edit) int {
	switch row := EditKindRowOf(e.Kind); {
	case row.OnlyTells:
		return 0
	case row.StopTiming != NoStop:
		return max(e.Tasks, 1)
	}
	return 1
}

// Move is by how much an edit changes the number of ours that orders its job; a first number moves it furthest, so
// that no job waits for one behind those that have theirs. Other edits do not move it.
func (c *EditContext) Move() int64 {
	switch {
	case c.SendPhase() != PhaseOrder:
		return 0
	case c.StandingIntent == nil:
		return math.MaxInt64
	}
	return max(c.Value-c.StandingIntent.Edit.Value, c.StandingIntent.Edit.Value-c.Value)
}
