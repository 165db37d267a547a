package slurm

import (
	"time"
)

// WholeList is a view in which the record of every job was read in this poll. Up to v0.0.40 all
// views are. From v0.0.41 on (24.05) most polls read the states of jobs alone: what is of this
// poll then is which jobs are listed, their states with the flags, and the tasks that arrays
// have left. A record is read where one of these moved, or where we wrote. All else of a job is
// as it was at the last whole list, or when its state last moved. Of that,
//
//   - Slurm itself changes the reason, the preempt time, the priority, the estimated start and
//     the planned nodes, by looking at the queue, or because another job ended;
//   - people change the comment, limit, begin time, deadline, nice, hold, dependency, licences,
//     partition, account, QOS, constraint, node lists and leave to be requeued. A job is read
//     again right before it is written to, and planned anew if one of these differs.
//
// What a job waits for is told by a WholeList only, so that no other view can be asked.
type WholeList struct{ view *View }

// WholeList returns the view as a whole list; ok is false when it is none.
func (v *View) WholeList() (list WholeList, ok bool) { return WholeList{v}, v.IsFullRead }

// Job returns the record with the id; ok is false when there is none.
func (l WholeList) Job(id int64) (j FreshJob, ok bool) {
	j.Job = l.view.Job(id)
	return j, j.Job != nil
}

// FullReadRule says when a poll reads the record of every job although few changed.
type FullReadRule struct {
	Every time.Duration // longest time without a whole list
	// PausePerJob is how long after a whole list the next one may be read before it is due, for
	// each job in it.
	PausePerJob time.Duration
}

// DefaultFullReadRule returns what holds where nothing is configured: a whole list every 5
// minutes, sooner after 6 ms a job. slurmrestd works 0.5 to 0.7 ms on a job of a list, so that
// whole lists take it a tenth of a core at most.
func DefaultFullReadRule() FullReadRule {
	return FullReadRule{Every: 5 * time.Minute, PausePerJob: 6 * time.Millisecond}
}

// IsDue reports whether the last whole list is too old. Its time is zero where there was none,
// and after now where the clock was set back.
func (r FullReadRule) IsDue(last, now time.Time) bool {
	return last.IsZero() || now.Sub(last) >= r.Every || now.Before(last)
}

// IsAllowed reports whether the last whole list, of so many jobs, is so old that another may
// be read before it is due.
func (r FullReadRule) IsAllowed(last, now time.Time, jobs int) bool {
	return now.Sub(last) >= time.Duration(jobs)*r.PausePerJob
}

// ListsStates reports whether slurmrestd of that release ("24.05.1") lists the states of jobs by
// themselves: from v0.0.41 on, which 24.05 served first. Of others every poll reads the whole list.
func ListsStates(release string) bool { return release >= "24.05" }

// FreshJob is a record of a WholeList. It tells what Slurm made of the job when it last looked.
type FreshJob struct{ *Job }

// WasConsidered reports whether Slurm has tried to start the job, so that its reason is known.
func (j FreshJob) WasConsidered() bool { return j.Reason != "" && j.Reason != "None" }

// WaitsForResources reports whether Slurm says that nodes are all that the job lacks.
func (j FreshJob) WaitsForResources() bool { return j.Reason == "Resources" }

// MayStartByItself reports whether Slurm would start the job, of its own accord, as soon as there are
// nodes for it.
func (j FreshJob) MayStartByItself(now time.Time) bool {
	return j.IsPending() && !j.IsHeld && j.Priority > 0 && !j.EligibleTime.After(now) && j.Reservation == "" &&
		(!j.WasConsidered() || j.WaitsForResources() || j.Reason == "Priority")
}

// WaitsForAnEnd reports whether Slurm, when the job was read, kept it back until other jobs end.
// Such an end may change the job's reason, which its state does not show.
func (j *Job) WaitsForAnEnd() bool {
	return j.IsPending() && !j.IsHeld && !j.WaitsForItsTurn() && j.Reason != "DependencyNeverSatisfied"
}
