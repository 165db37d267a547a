package policytest

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// timelessSpan is how much later a timeless memo is asked for again.
const timelessSpan = 10 * time.Minute

// checkTimeless wants a memo that is said to be timeless (policy.RememberTimeless) to stay the
// very same while no job waits and only time passes.
func (l lawCheck) checkTimeless(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	if plan.Memo.IsZero() || !plan.Memo.IsTimeless() {
		return
	}
	s = s.Clone()
	s.Jobs = slices.DeleteFunc(s.Jobs, func(j policy.Job) bool { return !j.HoldsGPUs() })
	first := l.decide(s)
	s.Memo, s.Seq, s.Now = first.Memo, s.Seq+1, s.Now.Add(timelessSpan)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.Attained += policy.ServiceForTime(j.Ask.GPUs.WholeGPUs(), timelessSpan)
	}
	if later := l.decide(s); !later.Memo.Equal(first.Memo) {
		l.Fatalf("a memo that is said to be timeless was changed by time alone")
	}
}
