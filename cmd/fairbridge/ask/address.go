package ask

import (
	"fmt"
	"regexp"
	"strings"

	"fairbridge/bridge/printable"
)

// A job as people write it, and as squeue writes the tasks of an array that wait.
var (
	jobNumber = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)
	taskIndex = regexp.MustCompile(`^([0-9]{1,10}|\[[0-9,:%-]+(\.\.\.)?\])$`)
)

// longestAddress is longer than any that squeue writes.
const longestAddress = 256

// CheckAddress says what is wrong with a job, before anything is asked.
func CheckAddress(text string) error {
	if len(text) > longestAddress {
		return fmt.Errorf("%q is not a job: it has more than %d characters", printable.Truncate(text, 100), longestAddress)
	}
	job, task, isTask := strings.Cut(text, "_")
	if before, part, isPart := strings.Cut(text, "+"); isPart && !isTask && jobNumber.MatchString(before) && taskIndex.MatchString(part) {
		return nil // of a heterogeneous job: 7+1
	}
	switch {
	case !jobNumber.MatchString(job):
		return fmt.Errorf("%q is not a job id such as 4711, or 4711_3 for a task of an array", printable.Truncate(text, 100))
	case isTask && !taskIndex.MatchString(task):
		return fmt.Errorf("%q is not a task of an array such as 4711_3", printable.Truncate(text, 100))
	}
	return nil
}

// checkAddresses says what is wrong with the jobs of --jobs.
func checkAddresses(jobs []string) error {
	for _, job := range jobs {
		if err := CheckAddress(job); err != nil {
			return fmt.Errorf("--jobs: %w", err)
		}
	}
	return nil
}
