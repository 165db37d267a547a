// Package dependency reads on which other jobs a job waits, as sbatch is told.
package dependency

import (
	"fmt"
	"strconv"
	"strings"
)

// Condition is one condition on another job.
type Condition struct {
	Kind  string // after, afterok, afterany or afternotok
	JobID int64  // of the other job, or its array
}

// Parse reads "afterok:1:2,afterany:3"; nothing for "". An error names the part that cannot be read.
func Parse(s string) ([]Condition, error) {
	var out []Condition
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
			out = append(out, Condition{kind, n})
		}
	}
	return out, nil
}
