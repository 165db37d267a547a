package push

import "fairbridge/bridge"

const (
	// MaxRewrittenJobs is how many jobs may come out of our edits with the same other field
	// changed before it is taken for a plugin's doing. One may have been changed by its owner
	// at that very moment.
	MaxRewrittenJobs = 2
	// A plugin changes the jobs it means to again and again, people who happen to change a job
	// while we do change one of many. So two jobs count as much as three only where one of so
	// many edits that were looked at since the first showed it.
	editsPerRewrite = 4
)

// RewriteEvidence is what was lately seen of edits that changed more of their jobs than the
// field they write. The zero value has none.
type RewriteEvidence struct {
	jobCountByField map[string]int // of jobs that lost this other field
	looksSinceFirst map[string]int // edits looked at since the first of them
}

// NewRewriteEvidence gathers it from intents, by ID. Since the first that changed more of its
// job, every edit that Slurm accepted was looked at.
func NewRewriteEvidence(intents []bridge.Intent) (e RewriteEvidence) {
	for i := range intents {
		in := &intents[i]
		wasLookedAt := e.Any() && in.StoodInSlurm() && !in.Sent.IsZero() && canShowRewrite(in)
		if wasLookedAt || in.Before.Rewritten != "" {
			e.Add(in)
		}
	}
	return e
}

// Any reports whether there is any, so that every edit is to be looked at.
func (e *RewriteEvidence) Any() bool { return len(e.jobCountByField) > 0 }

// Add adds an edit that was looked at.
func (e *RewriteEvidence) Add(in *bridge.Intent) {
	for field := range e.jobCountByField {
		e.looksSinceFirst[field]++
	}
	if in.Before.Rewritten == "" {
		return
	}
	if e.jobCountByField == nil {
		e.jobCountByField, e.looksSinceFirst = map[string]int{}, map[string]int{}
	}
	e.jobCountByField[in.Before.RewrittenField]++
}

// IsSystematic reports whether so many jobs lost the same field, and so many of those that were
// looked at, that their owners' own changes do not explain it.
func (e *RewriteEvidence) IsSystematic() bool {
	for field, jobs := range e.jobCountByField {
		often := (jobs-1)*editsPerRewrite >= e.looksSinceFirst[field]
		if jobs > MaxRewrittenJobs || jobs == MaxRewrittenJobs && often {
			return true
		}
	}
	return false
}
