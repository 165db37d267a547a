package deadline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
)

// ledger is what was spent of deadline budgets, by the hour. It is never changed: advance and
// noteRunning return others.
type ledger struct {
	At      time.Time  `json:"at"`                // until when Spent counts
	Running []charge   `json:"running,omitempty"` // jobs that run by a budget since then
	Spent   []spending `json:"spent,omitempty"`   // of the last week, by budget and hour
}

// charge is a job that runs at the cost of a budget.
type charge struct {
	Job    policy.JobID `json:"job"`
	Budget string       `json:"budget"`
	GPUs   float64      `json:"gpus"`
}

// spending is what was spent of a budget in the hour that began at Hour.
type spending struct {
	Budget  string            `json:"budget"`
	Hour    time.Time         `json:"hour"`
	Service policy.GPUSeconds `json:"service"`
}

func compareSpendings(a, b spending) int {
	return cmp.Or(cmp.Compare(a.Budget, b.Budget), a.Hour.Compare(b.Hour))
}

// sum returns what was spent of a budget in the last week.
func (l *ledger) sum(budget string) policy.GPUSeconds {
	total := policy.GPUSeconds(0)
	if l != nil {
		for _, s := range l.Spent {
			if s.Budget == budget {
				total += s.Service
			}
		}
	}
	return total
}

// advance charges the jobs that ran by a budget since the last decision until now, one that is gone as
// if it had run all the time, and forgets what is older than a week. nil: there is no budget.
func (l *ledger) advance(s *policy.Snapshot) *ledger {
	if len(s.DeadlineBudgets) == 0 {
		return nil
	}
	next := &ledger{At: s.Now.UTC()}
	if l == nil {
		return next
	}
	for _, x := range l.Spent {
		if x.Hour.Add(policy.DeadlineBudgetWindow).After(s.Now) {
			next.Spent = append(next.Spent, x)
		}
	}
	for _, c := range l.Running {
		from := l.At
		if j := s.Job(c.Job); j != nil && !j.HoldsGPUs() {
			continue
		} else if j != nil {
			from = policy.Later(from, j.Start)
		}
		next.add(spending{c.Budget, s.Now.UTC().Truncate(time.Hour), policy.ServiceForTime(c.GPUs, max(s.Now.Sub(from), 0))})
	}
	return next
}

// add adds to what was spent in an hour.
func (l *ledger) add(x spending) {
	i, found := slices.BinarySearchFunc(l.Spent, x, compareSpendings)
	if !found {
		l.Spent = slices.Insert(l.Spent, i, spending{Budget: x.Budget, Hour: x.Hour})
	}
	l.Spent[i].Service += x.Service
}

// noteRunning notes which jobs run by a budget by a plan.
func (l *ledger) noteRunning(s *policy.Snapshot, plan *policy.Plan, verdicts []verdict) *ledger {
	if l == nil {
		return nil
	}
	next := *l
	for i := range verdicts {
		v := &verdicts[i]
		if v.budget == nil || plan.Decisions[v.index].On.Count() == 0 {
			continue
		}
		j := &s.Jobs[v.index]
		next.Running = append(next.Running, charge{j.ID, v.budget.String(), wholeGPUs(j) / float64(j.TaskCount())})
	}
	slices.SortFunc(next.Running, func(a, b charge) int { return cmp.Compare(a.Job, b.Job) })
	return &next
}

// check wants amounts that can be, as what is stored may be damaged.
func (l *ledger) check() error {
	for _, s := range l.Spent {
		if !(s.Service >= 0) {
			return fmt.Errorf("%s is to have spent %v", s.Budget, float64(s.Service))
		}
	}
	for _, c := range l.Running {
		if !(c.GPUs >= 0) {
			return fmt.Errorf("job %d is to hold %v GPUs", c.Job, c.GPUs)
		}
	}
	if !slices.IsSortedFunc(l.Spent, compareSpendings) {
		return fmt.Errorf("what was spent is out of order")
	}
	return nil
}

// remembered is what a policy and the rule beside it remember together.
type remembered struct {
	Ledger *ledger     `json:"deadline_budgets"`
	Policy policy.Memo `json:"policy"`
}

// splitMemo parts a memo into that of the policy and what was spent of budgets; nil: nothing was
// kept of those, and all is the policy's.
func splitMemo(m policy.Memo) (policy.Memo, *ledger, error) {
	if both, ok := policy.HandedOn[*remembered](m); ok {
		return both.Policy, both.Ledger, nil
	}
	if !m.IsStored() {
		return m, nil, nil
	}
	both, err := policy.Recall[remembered](m)
	if err != nil || both.Ledger == nil {
		return m, nil, nil // it is the policy's own
	}
	if err := both.Ledger.check(); err != nil {
		return m, nil, fmt.Errorf("reading what was spent of deadline budgets: %w", err)
	}
	return both.Policy, both.Ledger, nil
}

// joinMemo is the reverse of splitMemo.
func joinMemo(own policy.Memo, spent *ledger) policy.Memo {
	if spent == nil {
		return own
	}
	return policy.Remember(&remembered{spent, own})
}
