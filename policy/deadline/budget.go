package deadline

import (
	"fmt"

	"fairbridge/policy"
)

// budgetBook is what is left of each deadline budget while jobs are judged.
type budgetBook struct {
	*policy.Snapshot
	leftByIndex []policy.GPUSeconds // by place in Snapshot.DeadlineBudgets
}

func newBudgetBook(s *policy.Snapshot, spent *ledger) *budgetBook {
	b := &budgetBook{s, make([]policy.GPUSeconds, len(s.DeadlineBudgets))}
	for i := range s.DeadlineBudgets {
		g := &s.DeadlineBudgets[i]
		b.leftByIndex[i] = max(g.Weekly-spent.sum(g.String()), 0)
	}
	return b
}

// cover lets a job's deadline count by the first budget of its account or QOS that has enough left for
// all that the job may yet take, and sets that aside. What comes of it is added to the reason, or replaces it.
func (b *budgetBook) cover(v *verdict, j *policy.Job) {
	most, ok := mostService(b.Snapshot, j)
	for i := range b.DeadlineBudgets {
		g := &b.DeadlineBudgets[i]
		if ok && g.Covers(j) && most <= b.leftByIndex[i] {
			b.leftByIndex[i] -= most
			v.counts, v.budget, v.mostGPUs = true, g, max(deviceCount(j), j.MinGPUs)
			v.reason = fmt.Sprintf("its deadline %s counts by the deadline budget of %s, of which %s are set aside for it", formatDeadline(j), g, most)
			return
		}
	}
	v.reason += "; " + b.whyNone(j, most, ok)
}

// mostService returns what a job may take until it ends: on what it holds or asks, until its time limit, or where
// it has none for as long as it is predicted to run. ok is false where nothing bounds it.
func mostService(s *policy.Snapshot, j *policy.Job) (policy.GPUSeconds, bool) {
	if j.Limit > 0 {
		return policy.ServiceForTime(wholeGPUs(j), max(j.Limit-j.Ran(s.Now), 0)), true
	}
	left, _ := s.PredictedTimeLeft(j)
	return policy.ServiceForTime(wholeGPUs(j), left), left > 0
}

// whyNone says why a job's deadline counts by no budget.
func (b *budgetBook) whyNone(j *policy.Job, most policy.GPUSeconds, isBounded bool) string {
	for i := range b.DeadlineBudgets {
		g := &b.DeadlineBudgets[i]
		switch {
		case !g.Covers(j):
		case !isBounded:
			return fmt.Sprintf("the deadline budget of %s does not help, as nothing bounds what the job takes: give it a time limit", g)
		default:
			return fmt.Sprintf("of the %s of the deadline budget of %s for a week %s are left, and it may take %s", g.Weekly, g, b.leftByIndex[i], most)
		}
	}
	return "no deadline budget was granted to its account or QOS"
}
