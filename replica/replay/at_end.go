package replay

import (
	"cmp"
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// maxWaitingTasks is how many tasks of one array that waits are taken: more of them only make
// the simulation slow, since they start one after another.
const maxWaitingTasks = 200

// jobKey tells a job from another that had its number before.
type jobKey struct {
	id     policy.JobID
	arrive int64
}

func keyOf(id policy.JobID, arrive time.Time) jobKey { return jobKey{id, arrive.Unix()} }

// jobsAtEnd are those that stood in the queue or ran at the end.
func (p *Past) jobsAtEnd() map[jobKey]*policy.Job {
	all := map[jobKey]*policy.Job{}
	for i := range p.AtEnd {
		j := &p.AtEnd[i]
		all[keyOf(j.ID, j.Arrive)] = j
	}
	return all
}

// secondsLeft is how long the job has still to run, as far as anybody knows: by the prediction, or
// by its time limit.
func (p *Past) secondsLeft(j *policy.Job) float64 {
	left := j.PredictedLeft
	if end, ok := j.LatestEnd(); left <= 0 && ok {
		left = end.Sub(p.Until)
	}
	return max(cmp.Or(left, j.Limit), time.Minute).Seconds()
}

// UnendedJob is a job that had not ended: what is known of its run time, in seconds.
type UnendedJob struct {
	Ran       float64 // until the end of the past
	Left      float64 // the median of what is left, as far as anybody knows
	UpperLeft float64 // what five of six such jobs do not exceed; Left: nothing is known of that
	MostLeft  float64 // what its time limit leaves; 0: it has none
}

// newUnendedJob says what is known of a job of AtEnd.
func (p *Past) newUnendedJob(j *policy.Job, ran float64) UnendedJob {
	u := UnendedJob{Ran: ran, Left: p.secondsLeft(j)}
	if u.UpperLeft = u.Left; j.Limit > 0 {
		u.MostLeft = max(j.Limit.Seconds()-ran, u.Left)
	}
	if j.PredictedLeft > 0 {
		u.UpperLeft += j.PredictedSigma.Seconds()
	}
	return u
}

// goOn makes a job that had not ended go on after the end of the past: it holds its GPUs, or
// waits, until then, and has still to run after.
func (l *pastJob) goOn(p *Past, j *policy.Job) {
	l.unended = p.newUnendedJob(j, l.Duration)
	left := l.unended.Left
	end := p.Until.Sub(p.Since).Seconds()
	l.isStillRunning = false
	l.goesOn = true
	l.Duration += left
	l.outcome.ExclusiveRunSeconds += left
	l.outcome.Finish = end + left
	l.wasHeld = l.wasHeld || j.HeldReason != ""
}

// newWaitingJobs makes jobs of what waits at the end and never ran.
func (p *Past) newWaitingJobs(known map[jobKey]bool) []pastJob {
	var jobs []pastJob
	for i := range p.AtEnd {
		j := &p.AtEnd[i]
		if known[keyOf(j.ID, j.Arrive)] || j.State != policy.Pending || j.HeldReason != "" || j.Ask.GPUs.Count == 0 {
			continue
		}
		for range min(j.TaskCount(), maxWaitingTasks) {
			jobs = append(jobs, p.newWaitingJob(j))
		}
	}
	return jobs
}

// newWaitingJob is a job that has not started at the end.
func (p *Past) newWaitingJob(j *policy.Job) pastJob {
	arrive := j.Arrive
	if j.EligibleAt.After(arrive) {
		arrive = j.EligibleAt
	}
	l := pastJob{wasPresentAtStart: arrive.Before(p.Since), goesOn: true, unended: p.newUnendedJob(j, 0)}
	l.Job = workload.Job{
		ID: int64(j.ID), Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS, Arrive: p.secondsSinceStart(arrive),
		GPUs: j.Ask.GPUs.Count, GPUType: j.Ask.GPUs.Type, NodeCount: j.Ask.MinNodes, Duration: l.unended.Left, TimeLimit: j.Limit,
		Class: j.Class, IsShareable: j.Shareable, RestartCostSeconds: j.CheckpointCost.Seconds(), IsSilent: true, IsUnstoppable: j.UnstoppableReason != "" && !p.AllStoppable,
	}
	if l.wasPresentAtStart {
		l.Arrive = settleSeconds
	}
	end := p.Until.Sub(p.Since).Seconds()
	l.outcome = measure.JobOutcome{
		ID: l.ID, User: l.User, Account: l.Account, GPUCount: l.GPUs, Arrive: l.Arrive, Start: end, Finish: end + l.Duration, ExclusiveRunSeconds: l.Duration,
	}
	return l
}

// goOnRemark says how many jobs the end cuts off.
func goOnRemark(jobs []pastJob) string {
	n := 0
	for i := range jobs {
		n += boolToInt(jobs[i].goesOn)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("not ended yet: %s, going on for as long as is predicted, or their limit says", policy.FormatCount(n, "job"))
}
