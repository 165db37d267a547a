package idle

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Allows reports whether the owner of a job allows that it is requeued when its GPUs do no work. A replica of a service
// waits for requests.
func Allows(d *slurm.Directive) bool { return d.RequeueIdle && d.Service == "" }

// LetOthersGoFirst returns the plan with the stops of earlier cycles seen through: who was stopped so does not start before the one it was
// stopped for. The plan itself is not changed.
func LetOthersGoFirst(s *policy.Snapshot, p *policy.Plan, intents []bridge.Intent) *policy.Plan {
	if p == nil {
		return nil
	}
	out := p
	for i := range intents {
		if !isRecentIdleStop(&intents[i], s.Now) {
			continue
		}
		if out == p {
			out = p.Clone()
		}
		letGoFirst(s, out, &intents[i])
	}
	return out
}

// Apply returns the plan with the stop. The plan itself is not changed.
func Apply(s *policy.Snapshot, p *policy.Plan, x *bridge.IdleStop) *policy.Plan {
	if p == nil || x == nil {
		return p
	}
	out := p.Clone()
	from, to := out.Decision(policy.JobID(x.Job)), out.Decision(policy.JobID(x.For))
	if from == nil || to == nil {
		return out
	}
	from.Verb, from.On, from.GPUs, from.StoppedFor = policy.Stop, nil, 0, to.Job
	from.Why = fmt.Sprintf("its GPUs did no work for %s, its owner allows that it is requeued then, and job %s waits for them", policy.FormatDuration(x.Idle.Truncate(time.Second)), s.JobLabel(to.Job))
	to.Verb, to.On, to.GPUs = policy.Start, x.On, x.On.Count()
	to.Why = fmt.Sprintf("starts on GPUs with which job %s did no work", s.JobLabel(from.Job))
	return out
}

// yieldFor is how long after it was stopped a job lets the other go first. By then Slurm has started that, or does not.
const yieldFor = 10 * time.Minute

// letGoFirst lets the job that was stopped come after the one it was stopped for, while that waits: the two change places in
// the line, and the one that was stopped is not started before.
func letGoFirst(s *policy.Snapshot, p *policy.Plan, in *bridge.Intent) {
	from, to := s.Job(policy.JobID(in.Edit.Run.Job)), s.Job(policy.JobID(in.Before.Stop.Beneficiary))
	if from == nil || to == nil || from.State != policy.Pending || !to.CanStart(s.Now) {
		return
	}
	a, b := p.Decision(from.ID), p.Decision(to.ID)
	if a == nil || b == nil || b.Verb == policy.Hold || a.Rank >= b.Rank {
		return
	}
	a.Rank, b.Rank = b.Rank, a.Rank
	if a.Verb == policy.Start && b.Verb != policy.Start {
		a.Verb, a.On, a.GPUs = policy.Wait, nil, 0
		a.Why = fmt.Sprintf("waits in the queue: it was stopped for job %s, which starts first", s.JobLabel(to.ID))
	}
}

// isRecentIdleStop reports whether an intent stopped its job because its GPUs did no work, so lately that it lets the other go first.
func isRecentIdleStop(in *bridge.Intent, now time.Time) bool {
	stop := in.RecentStop(now, yieldFor)
	return stop != nil && stop.Idle > 0 && stop.Signal == ""
}
