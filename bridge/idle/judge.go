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
// The plan is what the policy wants, with LetOthersGoFirst. The other job is one that the plan lets wait, that could start at once, has no
// room, also when all has ended that the plan stops or moves, and has it then; no job that waits before it, and might start
// soon, could use those GPUs. So it is next in line for them whatever the policy is.
func Judge(s *policy.Snapshot, p *policy.Plan, f *bridge.Facts, r Rules) *bridge.IdleStop {
	if r.After <= 0 || p == nil || len(p.Decisions) != len(s.Jobs) {
		return nil
	}
	left := candidates(s, p, f, r.After)
	if len(left) == 0 {
		return nil
	}
	free, soon := freeAfterPlan(s, p)
	for _, w := range waiting(s, p) {
		if !w.maybe && !wasStoppedFor(f, w.ID, r.StopPause) && !wasStoppedIdle(f, w.ID) && !soon.Fits(w.Partition, w.Ask) {
			if x := findStop(free, left, w.Job); x != nil {
				return x
			}
		}
		left = slices.DeleteFunc(left, func(c candidate) bool { return mayUse(w.Job, c.job.On) })
		if len(left) == 0 {
			return nil
		}
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

// waitingJob is a job that waits.
type waitingJob struct {
	*policy.Job
	rank  int
	maybe bool // whether it can start at once is not sure: it holds its place in the line, and nothing is done for it
}

// startsSoon is how long a job that is not eligible yet holds its place in the line.
const startsSoon = 10 * time.Minute

// waiting returns the jobs that do not start now and might before long, in the plan's order: also those that the policy holds back,
// or of which is not known where they fit.
func waiting(s *policy.Snapshot, p *policy.Plan) []waitingJob {
	var out []waitingJob
	for i := range s.Jobs {
		j, d := &s.Jobs[i], &p.Decisions[i]
		if j.State != policy.Pending || d.Job != j.ID || d.Verb != policy.Wait && d.Verb != policy.Hold || j.HeldReason != "" || j.EligibleAt.After(s.Now.Add(startsSoon)) {
			continue
		}
		out = append(out, waitingJob{j, d.Rank, d.Verb == policy.Hold || !j.CanStart(s.Now) || j.UnplaceableReason != ""})
	}
	slices.SortFunc(out, func(a, b waitingJob) int { return cmp.Compare(a.rank, b.rank) })
	return out
}

// freeAfterPlan returns what is free once what the plan starts, moves and resizes has its GPUs, and what is when all that it stops
// or moves has ended besides.
func freeAfterPlan(s *policy.Snapshot, p *policy.Plan) (free, soon *pool.Pool) {
	free = pool.New(s)
	for i := range p.Decisions {
		if d := &p.Decisions[i]; d.Verb == policy.Start || d.Verb == policy.Move || d.Verb == policy.Resize {
			free.Overdraw(d.On, s.Jobs[i].Ask.CPUs, s.Jobs[i].Ask.MemMB)
		}
	}
	soon = free.Clone()
	for i := range p.Decisions {
		if v := p.Decisions[i].Verb; v == policy.Stop || v == policy.Move || v == policy.Resize {
			pool.GiveBackHeld(soon, &s.Jobs[i])
		}
	}
	return free, soon
}

// findStop returns the stop of the first candidate whose room is enough for the job.
func findStop(free *pool.Pool, from []candidate, to *policy.Job) *bridge.IdleStop {
	for _, c := range from {
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

// wasStoppedIdle reports whether the job itself was stopped so a short while ago, and lets another go first.
func wasStoppedIdle(f *bridge.Facts, job policy.JobID) bool {
	return slices.ContainsFunc(f.Intents, func(in bridge.Intent) bool {
		return in.Edit.Run.Job == int64(job) && isRecentIdleStop(&in, f.View.At)
	})
}

// wasStoppedFor reports whether a job was stopped, or told to end, for the job less than the span ago.
func wasStoppedFor(f *bridge.Facts, to policy.JobID, span time.Duration) bool {
	return slices.ContainsFunc(f.Intents, func(in bridge.Intent) bool {
		stop := in.RecentStop(f.View.At, span)
		return stop != nil && stop.Signal == "" && stop.Beneficiary == int64(to)
	})
}
