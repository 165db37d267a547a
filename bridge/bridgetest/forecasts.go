package bridgetest

import (
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// WithoutForecasts returns the jobs without what changes with no event of theirs, and so with no
// sign in the states that little reading looks at: Slurm's own forecasts, the priority of a
// waiting job, and the reason of the last scheduling pass.
func WithoutForecasts(jobs []slurm.Job) []slurm.Job {
	jobs = slices.Clone(jobs)
	for i := range jobs {
		j := &jobs[i]
		j.Reason, j.ReasonText, j.ScheduledNodes = "", "", slurm.Hosts{}
		if j.IsPending() {
			j.Start, j.End, j.Priority = time.Time{}, time.Time{}, 0
			j.EligibleTime, j.AccrueTime = time.Time{}, time.Time{}
		}
	}
	return jobs
}
