// Package policytest holds what every policy is tested with: a generator of
// lawful snapshots, the laws a policy must keep, and small cases written as
// text.
package policytest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
)

// runSpan is a stretch of running.
type runSpan struct{ from, to time.Duration }

// replay carries out the policy's plans every step until all work is done, and
// prints when each job ran, in order of name, and the average completion time.
func replay(p policy.Policy, c *textCase) (string, error) {
	s, ran, done := c.snapshot, map[string][]runSpan{}, map[string]time.Duration{}
	for round := 0; len(s.Jobs) > 0; round++ {
		if round > 1000 {
			return "", fmt.Errorf("%d jobs are not done after %d rounds", len(s.Jobs), round)
		}
		plan, err := p.Decide(s)
		if err != nil {
			return "", err
		}
		if err := plan.Check(s); err != nil {
			return "", err
		}
		s = ApplyPlan(s, plan)
		at := s.Now.Sub(SnapshotTime)
		s.Now = s.Now.Add(c.stepLength)
		s.Jobs = slices.DeleteFunc(s.Jobs, func(j policy.Job) bool { return c.advanceJob(&j, at, ran, done) })
		for i := range s.Jobs {
			creditRunningJob(&s.Jobs[i], c.stepLength)
		}
	}
	return printTimeline(ran, done), nil
}

// creditRunningJob credits a running job with a step.
func creditRunningJob(j *policy.Job, step time.Duration) {
	if !j.HoldsGPUs() {
		return
	}
	j.Attained += policy.ServiceForTime(j.Ask.GPUs.WholeGPUs(), step)
	if j.PredictedLeft > 0 {
		j.PredictedLeft = max(j.PredictedLeft-step, time.Second)
	}
}

// advanceJob notes that a running job ran for a step from at, and reports whether
// its work is then done.
func (c *textCase) advanceJob(j *policy.Job, at time.Duration, ran map[string][]runSpan, done map[string]time.Duration) bool {
	if !j.HoldsGPUs() {
		return false
	}
	spans := ran[j.Name]
	if n := len(spans); n > 0 && spans[n-1].to == at {
		spans[n-1].to += c.stepLength
	} else {
		spans = append(spans, runSpan{at, at + c.stepLength})
	}
	ran[j.Name] = spans
	total := time.Duration(0)
	for _, s := range spans {
		total += s.to - s.from
	}
	if total < c.workTimeByJob[j.ID] {
		return false
	}
	done[j.Name] = at + c.stepLength + SnapshotTime.Sub(j.Arrive)
	return true
}

func printTimeline(ran map[string][]runSpan, done map[string]time.Duration) string {
	var b strings.Builder
	sum := 0.0
	names := make([]string, 0, len(done))
	for name, d := range done {
		names = append(names, name)
		sum += d.Hours()
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(name)
		for _, s := range ran[name] {
			fmt.Fprintf(&b, " %g-%g", s.from.Hours(), s.to.Hours())
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "average %.2f\n", sum/float64(len(names)))
	return b.String()
}

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
