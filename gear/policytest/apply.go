package policytest

import (
	"slices"

	"fairbridge/policy"
)

// ApplyPlan returns the snapshot after the plan was carried out at once: nothing
// else has changed and no time has passed. A task of an array that starts gets
// a record of its own, as in Slurm. A start without nodes stays pending.
func ApplyPlan(s *policy.Snapshot, plan *policy.Plan) *policy.Snapshot {
	c := s.Clone()
	c.Seq++
	c.Memo = plan.Memo
	next := policy.JobID(1)
	for i := range c.Jobs {
		next = max(next, c.Jobs[i].ID+1)
	}
	for _, d := range plan.Decisions {
		j := c.Job(d.Job)
		switch {
		case d.Verb == policy.Start && len(d.On) > 0 && j.TaskCount() > 1:
			task := *j
			j.Tasks--
			task.ID, task.Tasks = next, 0
			next++
			startJobOn(c, &task, d)
			c.Jobs = append(c.Jobs, task)
		case d.Verb == policy.Start && len(d.On) > 0, d.Verb == policy.Move, d.Verb == policy.Resize:
			startJobOn(c, j, d)
		case d.Verb == policy.Stop:
			stopJob(c, j)
		}
	}
	return c
}

func startJobOn(s *policy.Snapshot, j *policy.Job, d policy.Decision) {
	if j.HoldsGPUs() {
		stopJob(s, j)
	}
	j.State, j.On, j.Given, j.Start = policy.Running, slices.Clone(d.On), d.Given, s.Now
	if j.FirstStart.IsZero() {
		j.FirstStart = s.Now
	}
}

func stopJob(s *policy.Snapshot, j *policy.Job) {
	var none policy.Job
	j.State, j.On, j.Given, j.Start = policy.Pending, nil, policy.Amounts{}, none.Start
	j.StopCount++
	j.LastStop, j.Submit = s.Now, s.Now
}
