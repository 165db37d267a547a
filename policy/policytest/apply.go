package policytest

import (
	"slices"

	"fairbridge/policy"
)

// Clone returns a copy that shares nothing a policy could write to.
func Clone(s *policy.Snapshot) *policy.Snapshot {
	c := *s
	c.Nodes, c.Jobs = slices.Clone(s.Nodes), slices.Clone(s.Jobs)
	c.Accounts, c.Users = slices.Clone(s.Accounts), slices.Clone(s.Users)
	c.History = slices.Clone(s.History)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Partitions, n.Features, n.GPUs = slices.Clone(n.Partitions), slices.Clone(n.Features), slices.Clone(n.GPUs)
		n.Windows, n.Others = slices.Clone(n.Windows), slices.Clone(n.Others)
	}
	for i := range c.Jobs {
		j := &c.Jobs[i]
		j.On = slices.Clone(j.On)
		a := &j.Ask
		a.Require, a.Exclude, a.Features = slices.Clone(a.Require), slices.Clone(a.Exclude), slices.Clone(a.Features)
	}
	return &c
}

// Apply returns the snapshot after the plan was carried out at once: nothing
// else has changed and no time has passed. A task of an array that starts gets
// a record of its own, as in Slurm. A start without nodes stays pending.
func Apply(s *policy.Snapshot, plan *policy.Plan) *policy.Snapshot {
	c := Clone(s)
	c.Seq++
	c.Memo = plan.Memo
	next := policy.JobID(1)
	for i := range c.Jobs {
		next = max(next, c.Jobs[i].ID+1)
	}
	for _, d := range plan.Decisions {
		j := c.Job(d.Job)
		switch {
		case d.Verb == policy.Start && len(d.On) > 0 && j.Count() > 1:
			task := *j
			j.Tasks--
			task.ID, task.Tasks = next, 0
			next++
			start(c, &task, d)
			c.Jobs = append(c.Jobs, task)
		case d.Verb == policy.Start && len(d.On) > 0, d.Verb == policy.Move, d.Verb == policy.Resize:
			start(c, j, d)
		case d.Verb == policy.Stop:
			stop(c, j)
		}
	}
	return c
}

func start(s *policy.Snapshot, j *policy.Job, d policy.Decision) {
	if j.Active() {
		stop(s, j)
	}
	j.State, j.On, j.Start = policy.Running, slices.Clone(d.On), s.Now
	if j.FirstStart.IsZero() {
		j.FirstStart = s.Now
	}
}

func stop(s *policy.Snapshot, j *policy.Job) {
	var none policy.Job
	j.State, j.On, j.Start = policy.Pending, nil, none.Start
	j.Stops++
	j.LastStop, j.Submit = s.Now, s.Now
}
