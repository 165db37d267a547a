package policytest

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// checkWorkConserving wants no waiting job that could start on what the plan leaves
// free. Starts without nodes and jobs that waited more than a day, for which
// GPUs may be kept, make the question undecidable here.
func (l lawCheck) checkWorkConserving(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	if hasLongWaitingJob(s) || slices.ContainsFunc(s.Jobs, func(j policy.Job) bool { return j.UnplaceableReason != "" }) {
		return
	}
	after := ApplyPlan(s, plan)
	free := pool.New(after)
	for _, d := range plan.Decisions {
		j := s.Job(d.Job)
		if d.Verb != policy.Wait && d.Verb != policy.Hold || !j.CanStart(s.Now) {
			continue
		}
		if on, err := pool.Fit(free, j.Partition, j.AskWithLimit()); err == nil {
			l.Fatalf("job %d is to %s, but %v is free\n%s", d.Job, d.Verb, on, DescribePlan(s, plan))
		}
	}
}
