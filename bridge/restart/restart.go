package restart

import (
	"fmt"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Case is a running job whose restart is judged.
type Case struct {
	View     *slurm.View
	Snapshot *policy.Snapshot // of the partition that the job runs in
	Job      *slurm.Job
	Planned  *policy.Job // the same job in the snapshot
	From     time.Time   // the earliest moment at which it could start again, by slurmctld's clock
	GPUs     int         // with which it is to start again; 0: with those it has
}

// Reason returns why Slurm would keep the job back if it were pending, in words that follow "it could not start
// again: "; "" if it would let the job start as soon as there is room and it is the job's turn.
func Reason(c Case) string {
	for _, check := range []func(*Case) string{
		deadlineReason, partitionReason, dependencyReason, licenseReason, arrayReason, nodesReason, limitsReason,
	} {
		if why := check(&c); why != "" {
			return why
		}
	}
	return ""
}

// deadlineReason: Slurm ends a pending job whose whole time limit no longer fits before its deadline.
func deadlineReason(c *Case) string {
	j := c.Job
	if j.Deadline.IsZero() {
		return ""
	}
	if j.TimeLimit <= 0 || c.From.Add(j.TimeLimit).After(j.Deadline) {
		return fmt.Sprintf("its whole limit of %s no longer fits before its deadline at %s, and Slurm would end it",
			policy.FormatDuration(j.TimeLimit), j.Deadline.UTC().Format(time.RFC3339))
	}
	return ""
}

// partitionReason: a partition that was closed, or whose limits were changed, leaves jobs that run alone.
func partitionReason(c *Case) string {
	for p := range c.View.PartitionsOf(c.Job) {
		if why := p.RefusalReason(c.Job); why != "" {
			return why
		}
	}
	return ""
}

// dependencyReason: Slurm drops a dependency once it is met; one that still stands would be asked again.
func dependencyReason(c *Case) string {
	if c.Job.Dependency.Text != "" {
		return "its dependency " + c.Job.Dependency.Text + " would count again"
	}
	return ""
}

// licenseReason: licences that a stop gives back may be gone at once, also to other clusters.
func licenseReason(c *Case) string {
	if c.Job.Licenses != "" {
		return "its licences " + c.Job.Licenses + " might be taken meanwhile"
	}
	return ""
}

// arrayReason: the limit of tasks that run at once may have been lowered.
func arrayReason(c *Case) string {
	j, running := c.Job, 0
	if !j.IsArrayTask || j.ArrayMaxTasks == 0 {
		return ""
	}
	for i := range c.View.Jobs {
		if o := &c.View.Jobs[i]; o.ArrayJobID == j.ArrayJobID && o.IsRunning() {
			running++
		}
	}
	if running > j.ArrayMaxTasks {
		return fmt.Sprintf("%d tasks of its array run, and %d may", running, j.ArrayMaxTasks)
	}
	return ""
}
