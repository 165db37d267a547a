package sim

import "fairbridge/replica/sim/dependency"

// unmetReason returns Slurm's reason while the condition is not met; "" when it is.
// jobs are all records that are listed, and ended is how those of the job ended.
func unmetReason(d dependency.Condition, jobs []*job, ended taskOutcomes) string {
	open, begun := false, true
	for _, j := range jobs {
		if (j.id == d.JobID || j.arrayID == d.JobID) && !j.isDone() {
			open = true
			begun = begun && (j.state == stateRunning || j.hasRun)
		}
	}
	switch {
	case d.Kind == "after":
		open = open && !begun
	case d.Kind == "afterok" && ended.failedCount > 0, d.Kind == "afternotok" && !open && ended.failedCount == 0 && ended.succeededCount > 0:
		return "DependencyNeverSatisfied"
	}
	if open {
		return "Dependency"
	}
	return ""
}
