// Package restart answers one question about a job that runs: which of Slurm's reasons would keep it back if it
// were pending now? A job that a reason would keep back is not stopped, warned, moved or resized, since Slurm
// would not let it start again. Where the answer cannot be known, the job counts as kept back.
package restart

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/pool"
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

// nodesReason: a job needs as many nodes as it asks for that are up, not drained, and not set aside before its
// limit ends, whatever runs on them. Those it runs on serve its request. Others are counted only for a request
// that is fully understood.
func nodesReason(c *Case) string {
	why := c.ownNodesReason()
	if why == "" {
		return ""
	}
	empty := pool.NewEmpty(c.Snapshot.Nodes, c.From)
	if c.View.UnplaceableReason(c.Job) == "" && empty.Fits(c.Planned.Partition, c.ask()) {
		return ""
	}
	return why
}

// ask is the job's request with the GPUs that it is to start again with.
func (c *Case) ask() policy.Ask {
	ask := c.Planned.AskWithLimit()
	if c.GPUs > 0 {
		ask = ask.Resized(c.GPUs)
	}
	return ask
}

// ownNodesReason says which of the job's own nodes could not take it again; "" if all could.
func (c *Case) ownNodesReason() string {
	if c.GPUs > c.Planned.On.Count() {
		return "no nodes are known for the GPUs that it is to have"
	}
	for _, name := range slices.Concat(c.Planned.On.Nodes(), c.Planned.Ask.RequiredNodes) {
		n := c.Snapshot.Node(name)
		if n == nil || n.DownReason != "" {
			return fmt.Sprintf("too few nodes that suit it take jobs: %s does not", name)
		}
		if w, _, _ := n.WindowDuring(c.From, c.Planned.Limit); w != nil {
			return fmt.Sprintf("with its limit of %s it would reach into %v at %s, and too few other nodes suit it",
				policy.FormatDuration(c.Planned.Limit), w, w.From.UTC().Format(time.RFC3339))
		}
	}
	return ""
}
