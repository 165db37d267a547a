package main

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// soonerFor bounds the time spent on finding smaller requests, and soonerTries
// the plans made for each kind of them.
const (
	soonerFor   = 2 * time.Second
	soonerTries = 4
)

// sooner says which smaller requests of a waiting job the policy would have
// started in the cycle of the snapshot: fewer GPUs, or a shorter time limit.
// Each is tried by deciding again. clock tells the time.
func sooner(s *policy.Snapshot, id policy.JobID, p policy.Policy, clock func() time.Time) []string {
	j := s.Job(id)
	if j == nil || !j.CanStart(s.Now) || j.MinGPUs > 0 || starts(s, *j, p) {
		return nil
	}
	end := clock().Add(soonerFor)
	var found []string
	free := pool.New(s)
	for _, tries := range [][]policy.Job{fewer(free, j), shorter(s, free, j)} {
		for _, t := range tries {
			if clock().After(end) {
				return found
			}
			if starts(s, t, p) {
				found = append(found, request(j, &t))
				break
			}
		}
	}
	return found
}

// starts reports whether the policy would start the job if it were like that.
func starts(s *policy.Snapshot, j policy.Job, p policy.Policy) (yes bool) {
	defer func() {
		if recover() != nil { // a policy that panics starts nothing
			yes = false
		}
	}()
	other := *s
	other.Jobs = slices.Clone(s.Jobs)
	*other.Job(j.ID) = j
	plan, err := p.Decide(&other)
	if err != nil || plan == nil {
		return false
	}
	return slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool { return d.Job == j.ID && d.Verb == policy.Start })
}

// fewer returns the job with fewer GPUs that fit into what is free, the most
// first.
func fewer(free *pool.Pool, j *policy.Job) []policy.Job {
	var list []policy.Job
	for n := min(j.Ask.GPUs.Count-1, free.TotalFree(j.Ask.GPUs.Type)); n > 0 && len(list) < soonerTries; n-- {
		t := *j
		if !shrink(&t.Ask, n) {
			continue
		}
		if _, err := pool.Fit(free, j.Partition, t.Gang()); err == nil {
			list = append(list, t)
		}
	}
	return list
}

// shrink makes an ask one for n GPUs: of as many on each node, or for less than
// that on one node. It reports whether there is such an ask.
func shrink(a *policy.Ask, n int) bool {
	was := a.GPUs.Count
	a.GPUs.Count = n
	a.Nodes = min(a.Nodes, n)
	a.CPUs = (a.CPUs*n + was - 1) / was
	a.MemMB = (a.MemMB*int64(n) + int64(was) - 1) / int64(was)
	if a.PerNode > 0 {
		if n > a.PerNode && n%a.PerNode != 0 {
			return false
		}
		a.PerNode = min(a.PerNode, n)
		a.Nodes = min(a.Nodes, n/a.PerNode)
	}
	return len(a.Require) <= max(a.Nodes, 1)
}

// shorter returns the job with shorter time limits, the longest first, if there
// is room for it at all: those that end before nodes are set aside, and halves.
func shorter(s *policy.Snapshot, free *pool.Pool, j *policy.Job) []policy.Job {
	brief := *j
	brief.Limit = time.Minute
	if _, err := pool.Fit(free, j.Partition, brief.Gang()); err != nil {
		return nil
	}
	limits := before(s, j.Limit)
	for limit := j.Limit / 2; limit >= time.Minute && len(limits) < 2*soonerTries; limit /= 2 {
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

// before returns limits in whole minutes that end before a window begins, at
// most as many as are tried, the longest ones.
func before(s *policy.Snapshot, limit time.Duration) []time.Duration {
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
	return all[max(len(all)-soonerTries, 0):]
}

// request says what is smaller about a job.
func request(was, is *policy.Job) string {
	if is.Ask.GPUs.Count == was.Ask.GPUs.Count {
		return "a time limit of " + span(is.Limit)
	}
	if is.Ask.Nodes > 1 {
		return fmt.Sprintf("%s on %d nodes", is.Ask.GPUs, is.Ask.Nodes)
	}
	return is.Ask.GPUs.String()
}
