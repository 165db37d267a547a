package intake

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// maxDeadlineAhead is how long after its submission a job's deadline may be.
const maxDeadlineAhead = 366 * 24 * time.Hour

// addDeadline adds when the job's result is wanted: by its owner's word, and no later than Slurm's own
// deadline, at which Slurm kills the job. What of the owner's word does not count is told.
func addDeadline(out *policy.Job, j *slurm.Job) {
	d := &j.Directive
	out.Deadline = j.Deadline
	switch {
	case d.Deadline.IsZero():
	case !d.Deadline.After(j.Submit):
		out.IgnoredReason = joinReasons(out.IgnoredReason, "deadline does not count: "+formatDeadline(d.Deadline)+" is before the job was submitted")
	case d.Deadline.Sub(j.Submit) > maxDeadlineAhead:
		out.IgnoredReason = joinReasons(out.IgnoredReason, "deadline does not count: "+formatDeadline(d.Deadline)+" is more than a year after the job was submitted")
	case !j.Deadline.IsZero() && d.Deadline.After(j.Deadline):
		out.IgnoredReason = joinReasons(out.IgnoredReason, "deadline does not count: Slurm kills the job before, at its own deadline "+formatDeadline(j.Deadline))
	default:
		out.Deadline, out.DeadlineValue, out.SoftDeadline = d.Deadline, d.DeadlineValue, d.SoftDeadline
	}
}

func formatDeadline(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }
