// Package whatif asks a policy what it would have decided had a job asked for
// less, and when a job would start that is not submitted yet.
package whatif

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// maxSearchTime bounds the time spent on finding smaller requests. For fewer GPUs
// at most maxTriesPerSource plans are made, for limits that end before nodes
// are set aside as many, and for halved limits the rest up to twice as many.
const (
	maxSearchTime     = 2 * time.Second
	maxTriesPerSource = 4
)

// FindSmallerRequests returns the job with smaller requests with which the policy would have
// started it in the cycle of the snapshot: with fewer GPUs, and with a shorter
// time limit, the largest of each. Each is tried by deciding again. clock tells
// the time. There are none of a job that cannot start, would start as it is, or
// is sized by the policy.
func FindSmallerRequests(s *policy.Snapshot, id policy.JobID, p policy.Policy, clock func() time.Time) []policy.Job {
	j := s.Job(id)
	if j == nil || !j.CanStart(s.Now) || j.MinGPUs > 0 || wouldStart(s, *j, p) {
		return nil
	}
	end := clock().Add(maxSearchTime)
	var found []policy.Job
	free := pool.New(s)
	for _, list := range [][]policy.Job{requestsWithFewerGPUs(free, j), requestsWithShorterLimits(s, free, j)} {
		for _, smaller := range list {
			if clock().After(end) {
				return found
			}
			if wouldStart(s, smaller, p) {
				found = append(found, smaller)
				break
			}
		}
	}
	return found
}

// wouldStart reports whether the policy would start the job if it were like that.
func wouldStart(s *policy.Snapshot, j policy.Job, p policy.Policy) (yes bool) {
	defer func() {
		if recover() != nil { // a policy that panics starts nothing
			yes = false
		}
	}()
	other := *s
	other.Jobs, other.OmitReasons = slices.Clone(s.Jobs), true
	*other.Job(j.ID) = j
	plan, err := p.Decide(&other)
	if err != nil || plan == nil {
		return false
	}
	return slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool { return d.Job == j.ID && d.Verb == policy.Start })
}

// requestsWithFewerGPUs returns the job with fewer GPUs that fit into what is free, the most
// first.
func requestsWithFewerGPUs(free *pool.Pool, j *policy.Job) []policy.Job {
	var list []policy.Job
	for n := min(j.Ask.GPUs.Count-1, free.TotalFree(j.Ask.GPUs.Type)); n > 0 && len(list) < maxTriesPerSource; n-- {
		t := *j
		if !shrinkAsk(&t.Ask, n) {
			continue
		}
		if _, err := pool.Fit(free, j.Partition, t.AskWithLimit()); err == nil {
			list = append(list, t)
		}
	}
	return list
}

// shrinkAsk makes an ask one for n GPUs: of as many on each node, or for less than
// that on one node. It reports whether there is such an ask.
func shrinkAsk(a *policy.Ask, n int) bool {
	old := a.GPUs.Count
	a.GPUs.Count = n
	a.MinNodes = min(a.MinNodes, n)
	a.CPUs = (a.CPUs*n + old - 1) / old
	a.MemMB = (a.MemMB*int64(n) + int64(old) - 1) / int64(old)
	if a.PerNode > 0 {
		if n > a.PerNode && n%a.PerNode != 0 {
			return false
		}
		a.PerNode = min(a.PerNode, n)
		a.MinNodes = min(a.MinNodes, n/a.PerNode)
	}
	return len(a.RequiredNodes) <= max(a.MinNodes, 1)
}

// requestsWithShorterLimits returns the job with shorter time limits, the longest first, if there
// is room for it at all: those that end before nodes are set aside, and halves.
func requestsWithShorterLimits(s *policy.Snapshot, free *pool.Pool, j *policy.Job) []policy.Job {
	minute := *j
	minute.Limit = time.Minute
	if _, err := pool.Fit(free, j.Partition, minute.AskWithLimit()); err != nil {
		return nil
	}
	limits := limitsBeforeWindows(s, j.Limit)
	for limit := j.Limit / 2; limit >= time.Minute && len(limits) < 2*maxTriesPerSource; limit /= 2 {
		limits = append(limits, limit.Truncate(time.Minute))
	}
	slices.Sort(limits)
	var list []policy.Job
	for _, limit := range slices.Backward(slices.Compact(limits)) {
		t := *j
		t.Limit = limit
		list = append(list, t)
	}
	return list
}

// limitsBeforeWindows returns limits in whole minutes that end before a window begins, at
// most as many as are tried, the longest ones.
func limitsBeforeWindows(s *policy.Snapshot, limit time.Duration) []time.Duration {
	var all []time.Duration
	for i := range s.Nodes {
		for _, w := range s.Nodes[i].Windows {
			if d := (w.From.Sub(s.Now) - time.Second).Truncate(time.Minute); d >= time.Minute && (limit == 0 || d < limit) {
				all = append(all, d)
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[max(len(all)-maxTriesPerSource, 0):]
}
