package engine

import (
	"fmt"
	"math"

	"fairbridge/policy"
)

// Where Snapshot.RecallWithin says so, jobs that are opportunistic run on what others leave: they come last in line,
// count to no quota, and give way to every job that is not, whatever the stages say and however short they ran.

// lentTier is the tier of jobs that run on what others leave: beyond any other.
const lentTier = math.MaxInt

// isLent reports whether the job has what it has, or will have, only until another is to have it.
func (r *Round) isLent(j *policy.Job) bool { return r.RecallWithin > 0 && j.IsOpportunistic() }

// moveLentLast moves the jobs that run on what others leave to the end of the line.
func moveLentLast(r *Round, line []*Entry) []*Entry {
	if r.RecallWithin <= 0 {
		return line
	}
	own := appendMatching(make([]*Entry, 0, len(line)), line, func(e *Entry) bool { return !e.IsOpportunistic() })
	return appendMatching(own, line, func(e *Entry) bool { return e.IsOpportunistic() })
}

// hasLent reports whether a running job may be called back.
func hasLent(r *Round) bool {
	for _, e := range r.Entries {
		if isRecallable(r, e.Job) {
			return true
		}
	}
	return false
}

// isRecallable reports whether a running job may be stopped for one that does not run on what others leave.
func isRecallable(r *Round, j *policy.Job) bool {
	return r.isLent(j) && j.State == policy.Running && j.UnstoppableReason == "" && len(j.On) > 0
}

// recallText says why a job is called back.
func recallText(r *Round, victim, e *Entry) string {
	return fmt.Sprintf("is called back from %v, which it had while no other job was to have it, for job %s of account %s (within %s); it has run %s",
		victim.On, e.Label(), e.Account, policy.FormatDuration(r.RecallWithin), policy.FormatDuration(victim.Ran(r.Now)))
}
