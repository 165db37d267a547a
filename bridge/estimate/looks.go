package estimate

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
)

// lookInterval is how far apart the looks at a job are that are kept and scored: at the first cycle
// of each hour, after the one at its first cycle.
const lookInterval = time.Hour

// LookTimes remembers when the waiting jobs of a partition were last looked at. The zero value
// remembers nothing.
type LookTimes struct {
	lastByJob map[policy.JobID]time.Time
}

// TakeDue returns the jobs of a snapshot whose estimate is to be kept, and remembers that they were
// looked at: those that wait, that nothing keeps, and that never ran before. True: it is the first
// look at the job.
func (t *LookTimes) TakeDue(s *policy.Snapshot) (isFirstByJob map[policy.JobID]bool) {
	isFirstByJob = map[policy.JobID]bool{}
	next := map[policy.JobID]time.Time{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.State != policy.Pending || j.HeldReason != "" || !j.FirstStart.IsZero() {
			continue
		}
		last, seen := t.lastByJob[j.ID]
		if !seen || s.Now.Truncate(lookInterval).After(last) {
			isFirstByJob[j.ID], last = !seen, s.Now
		}
		next[j.ID] = last
	}
	t.lastByJob = next
	return isFirstByJob
}

// LineOfPlan returns the jobs of a plan by rank.
func LineOfPlan(p *policy.Plan) []policy.JobID {
	decisions := slices.Clone(p.Decisions)
	slices.SortFunc(decisions, func(a, b policy.Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	line := make([]policy.JobID, len(decisions))
	for i := range decisions {
		line[i] = decisions[i].Job
	}
	return line
}
