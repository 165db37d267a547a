package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// dependency is one condition on another job.
type dependency struct {
	kind  string
	jobID int64
}

// parseDependency reads "afterok:1:2,afterany:3".
func parseDependency(s string) ([]dependency, error) {
	var out []dependency
	if s == "" {
		return nil, nil
	}
	for _, part := range strings.Split(s, ",") {
		kind, ids, _ := strings.Cut(part, ":")
		switch kind {
		case "after", "afterok", "afterany", "afternotok":
		default:
			return nil, fmt.Errorf("dependency %q: want after, afterok, afterany or afternotok", part)
		}
		for _, id := range strings.Split(ids, ":") {
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("dependency %q: %q is not a job id", part, id)
			}
			out = append(out, dependency{kind, n})
		}
	}
	return out, nil
}

// unmetReason returns Slurm's reason while the dependency is not met; "" when it is.
// jobs are all records that are listed, and ended is how those of the job ended.
func (d dependency) unmetReason(jobs []*job, ended taskOutcomes) string {
	open, begun := false, true
	for _, j := range jobs {
		if (j.id == d.jobID || j.arrayID == d.jobID) && !j.isDone() {
			open = true
			begun = begun && (j.state == stateRunning || j.hasRun)
		}
	}
	switch {
	case d.kind == "after":
		open = open && !begun
	case d.kind == "afterok" && ended.failedCount > 0, d.kind == "afternotok" && !open && ended.failedCount == 0 && ended.succeededCount > 0:
		return "DependencyNeverSatisfied"
	}
	if open {
		return "Dependency"
	}
	return ""
}
