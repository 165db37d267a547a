package ledger

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// A task that Slurm splits off the record of an array, because it starts or
// because somebody changes it alone, has a job id of its own and inherits what
// stood in the record. Values of ours among that are ours, under the new id.

// maxSplitDetectionDelay is how long after a value was replaced in the array's record a task
// that was split off before may be seen for the first time: lists may leave one
// job out for a while. Later an equal value is somebody else's.
const maxSplitDetectionDelay = time.Hour

// startTimeSlack is how much later than shown a task may have started: Slurm shows
// whole seconds. A value too recent does no harm where none shows.
const startTimeSlack = 2 * time.Second

// inheritableFields are the fields in which a task may have a value of ours from its
// array.
var inheritableFields = actuator.FieldsWhere(func(r *actuator.EditKindRow) bool { return !r.LeavesNoValue && r.Undo != nil })

// InheritedIntents returns an intent without ID for every value of ours that a task split
// off an array has inherited and of which the ledger has no row under the task's
// own job id. Such an intent is OBSERVED, was never sent (its Sent is zero),
// and its Before is that of the array's intent. Intents are sorted by ID.
//
// Where the record shows a field, the value must be exactly ours; where it does
// not, the last one that the array had before the task was split off counts.
// Nothing is inherited of an array that was given back long before.
func InheritedIntents(intents []bridge.Intent, v *slurm.View) []bridge.Intent {
	tasks := splitOffTasks(v)
	if len(tasks) == 0 {
		return nil
	}
	rows := intentsByField(intents, tasks)
	var out []bridge.Intent
	for _, j := range tasks {
		for _, f := range inheritableFields {
			own := func(in *bridge.Intent) bool {
				return in.State != bridge.IntentVoid && IsSameJob(in.Edit.Run, j.CurrentRun())
			}
			if slices.ContainsFunc(rows[slurm.JobField{Job: j.ID, Field: f}], own) {
				continue
			}
			if in := findInheritableIntent(rows[slurm.JobField{Job: j.ArrayJobID, Field: f}], j, v); in != nil {
				out = append(out, newInheritedIntent(in, j, v.At))
			}
		}
	}
	return out
}

// splitOffTasks are the tasks with a job id of their own that have not ended.
func splitOffTasks(v *slurm.View) []*slurm.Job {
	var tasks []*slurm.Job
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.IsArrayTask && j.ArrayJobID != 0 && j.ArrayJobID != j.ID && !j.IsDone() && j.UntrustedReason == "" {
			tasks = append(tasks, j)
		}
	}
	return tasks
}

// intentsByField returns the intents of the tasks and of their arrays, by ID.
func intentsByField(intents []bridge.Intent, tasks []*slurm.Job) map[slurm.JobField][]*bridge.Intent {
	about := map[int64]bool{}
	for _, j := range tasks {
		about[j.ID], about[j.ArrayJobID] = true, true
	}
	rows := map[slurm.JobField][]*bridge.Intent{}
	for i := range intents {
		if in := &intents[i]; about[in.Edit.Run.Job] {
			rows[in.Edit.WrittenField()] = append(rows[in.Edit.WrittenField()], in)
		}
	}
	return rows
}

// findInheritableIntent returns the intent of the array whose value the task has, or nil.
func findInheritableIntent(rows []*bridge.Intent, j *slurm.Job, v *slurm.View) *bridge.Intent {
	split, started := v.At, j.IsRunning() && !j.Start.IsZero()
	if started {
		split = j.Start.Add(startTimeSlack)
	}
	var replaced time.Time
	for _, in := range slices.Backward(rows) {
		if !in.StoodInSlurm() || !isIntentOfTaskArray(in, j, v) || started && in.Made.After(split) {
			continue
		}
		if !replaced.IsZero() && split.Sub(replaced) > maxSplitDetectionDelay {
			return nil
		}
		replaced = in.Made
		if hasArrayValue(in, j, v.At) {
			return in
		}
	}
	return nil
}

// isIntentOfTaskArray reports whether the intent was about the array that the task is of, not
// about a job that had its id before.
func isIntentOfTaskArray(in *bridge.Intent, j *slurm.Job, v *slurm.View) bool {
	run, now := in.Edit.Run, j.CurrentRun()
	if a := v.Job(j.ArrayJobID); a != nil && !IsSameJob(run, a.CurrentRun()) {
		return false
	}
	return run.Restarts == 0 && (run.Submit == now.Submit || run.Submit < now.Submit && now.Restarts > 0)
}

// hasArrayValue reports whether the task has the value of the array's intent.
func hasArrayValue(in *bridge.Intent, j *slurm.Job, now time.Time) bool {
	if actuator.LeavesNoValue(in) || actuator.EditKindRowOf(in.Edit.Kind).Undo == nil || !in.NotAfter.IsZero() && !now.Before(in.NotAfter) {
		return false
	}
	whose := actuator.ValueOwnerOf(in, j)
	return whose == actuator.OwnerUs || whose == actuator.OwnerHidden && in.State != bridge.IntentYielded
}

// newInheritedIntent returns the array's intent as one of the task.
func newInheritedIntent(in *bridge.Intent, j *slurm.Job, now time.Time) bridge.Intent {
	e := in.Edit
	e.Run, e.Address, e.Tasks, e.Why = j.CurrentRun(), j.Address(), 1, "inherited: the task was split off its array"
	b := in.Before
	b.Restarts, b.State, b.User, b.Rewritten, b.RewrittenField = j.Restarts, j.State, j.User, "", ""
	return bridge.Intent{
		Cluster: in.Cluster, Epoch: in.Epoch, Policy: in.Policy, Edit: e, Before: b,
		State: bridge.IntentObserved, NotAfter: in.NotAfter, Made: now,
	}
}
