package idle

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// Rules are what the partition and the gate say.
type Rules struct {
	After     time.Duration // for so long all GPUs of a job did no work; 0: no job is stopped for that
	StopPause time.Duration // so long after a stop for a job none is stopped for it again
}

// Judge returns the job that is to be stopped because its GPUs do no work, one at a time, and for whom; nil: none is.
// The plan is what the policy wants. The other job is one that the plan lets wait, that could start at once, has no room,
// and has it then; no job that waits before it could use those GPUs. So it is next in line for them whatever the policy is.
func Judge(s *policy.Snapshot, p *policy.Plan, f *bridge.Facts, r Rules) *bridge.IdleStop {
	if r.After <= 0 || p == nil || len(p.Decisions) != len(s.Jobs) {
		return nil
	}
	c := candidates(s, p, f, r.After)
	if len(c) == 0 {
		return nil
	}
	free := freeAfterStarts(s, p)
	var before []*policy.Job
	for _, to := range waiting(s, p) {
		if !wasStoppedFor(f, to.ID, r.StopPause) && !free.Fits(to.Partition, to.Ask) {
			if x := findStop(free, c, before, to); x != nil {
				return x
			}
		}
		before = append(before, to)
	}
	return nil
}

// candidate is a job whose GPUs do no work.
type candidate struct {
	job     *policy.Job
	idleFor time.Duration
}

// candidates returns the jobs that may be stopped and are to run on, those that are idle longest first.
func candidates(s *policy.Snapshot, p *policy.Plan, f *bridge.Facts, after time.Duration) []candidate {
	var out []candidate
	for i := range s.Jobs {
		j, d := &s.Jobs[i], &p.Decisions[i]
		use := f.UseByJob[int64(j.ID)]
		if j.State != policy.Running || j.UnstoppableReason != "" || d.Job != j.ID || d.Verb != policy.Keep || use.IdleFor < after || use.IdleFor <= 0 {
			continue
		}
		if seen := f.View.Job(int64(j.ID)); seen != nil && Allows(&seen.Directive) {
			out = append(out, candidate{j, use.IdleFor})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(-cmp.Compare(a.idleFor, b.idleFor), cmp.Compare(a.job.ID, b.job.ID))
	})
	return out
}

// waiting returns the jobs that could start at once if they had room, and that the plan lets wait, in its order.
func waiting(s *policy.Snapshot, p *policy.Plan) []*policy.Job {
	var at []int
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if p.Decisions[i].Job == j.ID && p.Decisions[i].Verb == policy.Wait && j.CanStart(s.Now) && j.UnplaceableReason == "" {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(p.Decisions[a].Rank, p.Decisions[b].Rank) })
	out := make([]*policy.Job, len(at))
	for i := range at {
		out[i] = &s.Jobs[at[i]]
	}
	return out
}

// freeAfterStarts returns what is free once what the plan starts has started. What it stops is not free yet.
func freeAfterStarts(s *policy.Snapshot, p *policy.Plan) *pool.Pool {
	free := pool.New(s)
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Verb == policy.Start {
			free.Overdraw(d.On, s.Jobs[i].Ask.CPUs, s.Jobs[i].Ask.MemMB)
		}
	}
	return free
}

// findStop returns the stop of the first candidate whose room is enough for the job, and is of no use to those before it.
func findStop(free *pool.Pool, from []candidate, before []*policy.Job, to *policy.Job) *bridge.IdleStop {
	for _, c := range from {
		if slices.ContainsFunc(before, func(j *policy.Job) bool { return mayUse(j, c.job.On) }) {
			continue
		}
		then := free.Clone()
		pool.GiveBackHeld(then, c.job)
		if on, err := pool.Fit(then, to.Partition, to.Ask); err == nil {
			return &bridge.IdleStop{Job: int64(c.job.ID), For: int64(to.ID), Idle: c.idleFor, On: on}
		}
	}
	return nil
}

// mayUse reports whether devices are of a type that the job may run on.
func mayUse(j *policy.Job, on policy.Alloc) bool {
	return j.Ask.GPUs.Type == "" || len(j.GPUTypes) > 0 || slices.ContainsFunc(on, func(s policy.Slot) bool { return s.Type == j.Ask.GPUs.Type })
}

// wasStoppedFor reports whether a job was stopped, or told to end, for the job less than the span ago.
func wasStoppedFor(f *bridge.Facts, to policy.JobID, span time.Duration) bool {
	return slices.ContainsFunc(f.Intents, func(in bridge.Intent) bool {
		stop := in.Before.Stop
		return stop != nil && stop.Signal == "" && stop.Beneficiary == int64(to) && !in.Sent.IsZero() && in.State != bridge.IntentFailed && f.View.At.Sub(in.Made) < span
	})
}
