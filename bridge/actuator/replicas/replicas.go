// Package replicas says how many replicas of an inference service run or can start, whatever stands in their way by us.
package replicas

import (
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// scalingOf returns what is promised of the service that the job is a replica of; nil: it is of none.
func scalingOf(s *policy.Snapshot, job *policy.Job) *policy.ReplicaScaling {
	if job == nil || job.ReplicaOf == "" || s == nil {
		return nil
	}
	for i := range s.InferenceServices {
		if v := &s.InferenceServices[i]; v.Name == job.ReplicaOf {
			return v.Scaling
		}
	}
	return nil
}

// MayBeLeasedLong reports whether the job may be leased however long it waits: it is a replica, and it is known how
// many requests its service has.
func MayBeLeasedLong(s *policy.Snapshot, job *policy.Job) bool {
	c := scalingOf(s, job)
	return c != nil && c.UnknownReason == "" && len(c.Rates) > 0
}

// CheckLease says why the replica must not be leased: of the others fewer than the service's least would run or could
// start (I25). isKeptBack says of another job that it is stopped or leased.
func CheckLease(s *policy.Snapshot, job *policy.Job, isKeptBack func(policy.JobID) bool) *invariant.Denial {
	return check(s, job, isKeptBack, func(j *policy.Job) bool { return j.CanStart(s.Now) })
}

// CheckStop says why the replica must not be stopped: of the others fewer than the service's least would run (I25).
func CheckStop(s *policy.Snapshot, job *policy.Job, isKeptBack func(policy.JobID) bool) *invariant.Denial {
	return check(s, job, isKeptBack, func(*policy.Job) bool { return false })
}

func check(s *policy.Snapshot, job *policy.Job, isKeptBack func(policy.JobID) bool, counts func(*policy.Job) bool) *invariant.Denial {
	c := scalingOf(s, job)
	if c == nil {
		return nil
	}
	others := 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.ReplicaOf == job.ReplicaOf && j.ID != job.ID && (j.State == policy.Running || counts(j)) && !isKeptBack(j.ID) {
			others += j.TaskCount()
		}
	}
	if others >= c.Least {
		return nil
	}
	return invariant.ServiceLeast.Deny("%s of service %s would be left, and its least is %d", policy.FormatCount(others, "replica"), job.ReplicaOf, c.Least)
}

// CheckHold says why the plan must not hold the replica.
func CheckHold(s *policy.Snapshot, job *policy.Job, plan *policy.Plan) *invariant.Denial {
	verbs := map[policy.JobID]policy.Verb{}
	if scalingOf(s, job) != nil {
		for i := range plan.Decisions {
			verbs[plan.Decisions[i].Job] = plan.Decisions[i].Verb
		}
	}
	return CheckLease(s, job, func(id policy.JobID) bool { return verbs[id] == policy.Hold || verbs[id] == policy.Stop })
}
