package deadline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"fairbridge/policy"
)

// judge says of every job with a deadline that runs or could start whether it counts, the earliest
// deadline of an account first, after those of running jobs that cannot be stopped. It counts if the account's
// due is enough for it, for those before it, and, where it still waits, for what the account's jobs
// without deadlines hold.
func judge(s *policy.Snapshot, spent *ledger) []verdict {
	verdicts := listDeadlines(s)
	if len(verdicts) == 0 {
		return nil
	}
	shares := entitle(s)
	for i := range verdicts {
		v := &verdicts[i]
		j := &s.Jobs[v.index]
		e := shares[j.Account]
		left := e.leftFor(j)
		if left >= wholeGPUs(j)-tolerance {
			e.counted += wholeGPUs(j)
			v.counts, v.mostGPUs = true, largestWithin(j, left)
			continue
		}
		v.reason = fmt.Sprintf("its deadline %s does not count: account %s is due %s of %s GPUs, and with this job's %s it would have %s", formatDeadline(j), j.Account,
			formatGPUs(e.due), formatGPUs(s.WholeGPUs()), formatGPUs(wholeGPUs(j)), formatGPUs(e.due-left+wholeGPUs(j)))
	}
	coverBeyondShare(s, verdicts, spent)
	return verdicts
}

// coverBeyondShare lets deadlines that do not count by the share count by budgets, those of running jobs
// first, for which that was set aside when they started.
func coverBeyondShare(s *policy.Snapshot, verdicts []verdict, spent *ledger) {
	budgets := newBudgetBook(s, spent)
	for _, running := range []bool{true, false} {
		for i := range verdicts {
			v := &verdicts[i]
			if j := &s.Jobs[v.index]; !v.counts && j.HoldsGPUs() == running {
				budgets.cover(v, j)
			}
		}
	}
}

// listDeadlines lists the jobs with deadlines that run or could start, in the order in which they count.
func listDeadlines(s *policy.Snapshot) []verdict {
	var all []verdict
	for i := range s.Jobs {
		if j := &s.Jobs[i]; !j.Deadline.IsZero() && (j.HoldsGPUs() || j.CanStart(s.Now)) {
			all = append(all, verdict{index: i})
		}
	}
	slices.SortFunc(all, func(a, b verdict) int {
		x, y := &s.Jobs[a.index], &s.Jobs[b.index]
		return cmp.Or(compareFixed(x, y), x.Deadline.Compare(y.Deadline), x.Arrive.Compare(y.Arrive), cmp.Compare(x.ID, y.ID))
	})
	return all
}

// compareFixed puts jobs first that run and cannot be stopped: nothing takes back what they hold.
func compareFixed(a, b *policy.Job) int {
	rank := func(j *policy.Job) int {
		if j.HoldsGPUs() && j.UnstoppableReason != "" {
			return 0
		}
		return 1
	}
	return cmp.Compare(rank(a), rank(b))
}

// leftFor returns how many GPUs of its account's due are left for a job.
func (e *entitlement) leftFor(j *policy.Job) float64 {
	switch {
	case e.isAll:
		return math.Inf(1)
	case j.HoldsGPUs():
		return e.due - e.counted
	}
	return e.due - e.counted - e.fixed
}

// largestWithin returns the most devices an elastic job is to be offered of so many whole GPUs;
// 0: all its range.
func largestWithin(j *policy.Job, left float64) int {
	if j.MaxGPUs <= j.MinGPUs || math.IsInf(left, 1) {
		return 0
	}
	each := j.Ask.GPUs
	each.Count = 1
	fits := left
	if one := each.WholeGPUs(); one > 0 {
		fits = left / one
	}
	return max(int(math.Floor(fits+tolerance)), deviceCount(j), j.MinGPUs)
}

func formatDeadline(j *policy.Job) string {
	return j.Deadline.UTC().Format("2006-01-02 15:04 MST")
}

// formatGPUs prints GPUs with at most one digit after the point.
func formatGPUs(gpus float64) string {
	return strconv.FormatFloat(math.Round(gpus*10)/10, 'f', -1, 64)
}

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
