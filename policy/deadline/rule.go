package deadline

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// Rule says whose deadlines count. A policy that goes by deadlines embeds it and decides through it.
type Rule struct {
	DeadlinesCount string `param:"deadlines_count" choices:"within_share,always" default:"within_share" help:"whose deadlines count: those of jobs within their account's share of the GPUs or a deadline budget, or all"`
}

// always is the value of Rule.DeadlinesCount by which all deadlines count, as in the simulators of
// papers, which know no accounts.
const always = "always"

// Decide has a policy decide on what it may see: jobs whose deadlines do not count have none, and an
// elastic one whose deadline does is offered no more GPUs than its account's share has left. The
// reasons of the plan say so, and its memo keeps what was spent of deadline budgets.
func (r Rule) Decide(s *policy.Snapshot, decide func(*policy.Snapshot) (*policy.Plan, error)) (*policy.Plan, error) {
	own, spent, err := splitMemo(s.Memo)
	if err != nil {
		return nil, err
	}
	seen := *s
	seen.Memo = own
	var verdicts []verdict
	spent = spent.advance(s)
	if r.DeadlinesCount != always {
		verdicts = judge(s, spent)
		seen.Jobs = withoutUncounted(s.Jobs, verdicts)
	}
	plan, err := decide(&seen)
	if err != nil {
		return nil, err
	}
	explain(s, plan, verdicts)
	plan.Memo = joinMemo(plan.Memo, spent.noteRunning(s, plan, verdicts))
	return plan, nil
}

// verdict is what becomes of the deadline of the job at a place of the snapshot.
type verdict struct {
	index    int                    // of the job in Snapshot.Jobs
	counts   bool                   // the policy sees the deadline
	mostGPUs int                    // an elastic job whose deadline counts is offered no more; 0: all its range
	budget   *policy.DeadlineBudget // by which it counts beyond the share; nil: by none
	reason   string                 // "" where nothing is to be said
}

// withoutUncounted returns the jobs as the policy sees them.
func withoutUncounted(jobs []policy.Job, verdicts []verdict) []policy.Job {
	if len(verdicts) == 0 {
		return jobs
	}
	jobs = slices.Clone(jobs)
	for i := range verdicts {
		v := &verdicts[i]
		j := &jobs[v.index]
		switch {
		case !v.counts:
			j.Deadline, j.DeadlineValue, j.SoftDeadline = time.Time{}, 0, false
		case v.mostGPUs > 0 && j.MaxGPUs > v.mostGPUs:
			j.MaxGPUs = v.mostGPUs
		}
	}
	return jobs
}

// explain adds to the reasons of a plan what became of deadlines.
func explain(s *policy.Snapshot, plan *policy.Plan, verdicts []verdict) {
	if s.OmitReasons {
		return
	}
	byJob := make(map[policy.JobID]string, len(verdicts))
	for i := range verdicts {
		byJob[s.Jobs[verdicts[i].index].ID] = verdicts[i].reason
	}
	for i := range plan.Decisions {
		if why := byJob[plan.Decisions[i].Job]; why != "" {
			plan.Decisions[i].Why += "; " + why
		}
	}
}
