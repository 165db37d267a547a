// Package idle decides which job is stopped because its GPUs do no work, where its partition says so and its owner
// allows it: only one of which every GPU was measured to do no work for all of the time, and only for a job that
// waits and then has room. It is pure: what probes read in, a stop out; the gate decides whether it may be.
//
// What is idle it defines as fairbridge_v1.idle_gpus does, by which reports and reminders go, or more strictly: a test
// of accounting/reminders keeps all that is idle here idle there. What acts does not read the database: a daemon
// that begins knows of no GPU that it is idle.
package idle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
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

// BusyShare is the share of the time from which on a GPU counts as busy.
const BusyShare = 0.01

// MaxGap is the longest time between two readings of which nothing is missed.
const MaxGap = 5 * time.Minute

// GPU is a GPU that a run of a job holds.
type GPU struct {
	Job      int64
	Restarts int
	Node     string
	Device   string // the driver's UUID
}

// Reading is what one look at a GPU showed.
type Reading struct {
	GPU
	At time.Time // when it was measured, by the node's clock
	// Busy and MemBusy are the shares of the time in which it computed and its memory was used.
	Busy, MemBusy policy.OptionalValue
	IsShared      bool // with another job
}

// isIdle reports whether the GPU did no work. What is not known may be work.
func (r *Reading) isIdle() bool {
	return !r.IsShared && r.Busy.Known && r.Busy.Value < BusyShare && (!r.MemBusy.Known || r.MemBusy.Value < BusyShare)
}

// span is the time from one reading to another in which each reading was idle.
type span struct{ since, until time.Time }

// Watch remembers since when GPUs are idle. The zero value knows of none.
type Watch map[GPU]span

// Read returns what is known after one reading of each GPU at most. A GPU that is not read is remembered for as long as
// its next reading may come without a gap. A reading that was taken before the last one begins anew.
func (w Watch) Read(readings []Reading, now time.Time) Watch {
	out := make(Watch, len(w))
	for g, s := range w {
		if now.Sub(s.until) <= MaxGap {
			out[g] = s
		}
	}
	for i := range readings {
		r := &readings[i]
		s, known := out[r.GPU]
		gap := r.At.Sub(s.until)
		switch {
		case !r.isIdle():
			delete(out, r.GPU)
		case known && gap >= 0 && gap <= MaxGap:
			out[r.GPU] = span{s.since, r.At}
		default:
			out[r.GPU] = span{r.At, r.At}
		}
	}
	return out
}

// Without returns what is known without the GPUs of runs that are over, or that did something else since they are idle.
func (w Watch) Without(isOver func(g GPU, since time.Time) bool) Watch {
	out := make(Watch, len(w))
	for g, s := range w {
		if !isOver(g, s.since) {
			out[g] = s
		}
	}
	return out
}

// IdleFor returns for how long all of a job's GPUs are idle, of which these are the readings of now; 0: one of them is not,
// or there are not so many as it holds.
func (w Watch) IdleFor(readings []Reading, held int) time.Duration {
	if held < 1 || len(readings) != held {
		return 0
	}
	var least time.Duration
	for i := range readings {
		s, known := w[readings[i].GPU]
		if d := s.until.Sub(s.since); !known {
			return 0
		} else if i == 0 || d < least {
			least = d
		}
	}
	return least
}

// Allows reports whether the owner of a job allows that it is requeued when its GPUs do no work. A replica of a service
// waits for requests.
func Allows(d *slurm.Directive) bool { return d.RequeueIdle && d.Service == "" }

// LetOthersGoFirst returns the plan with the stops of earlier cycles seen through: who was stopped so does not start before the one it was
// stopped for. The plan itself is not changed.
func LetOthersGoFirst(s *policy.Snapshot, p *policy.Plan, intents []bridge.Intent) *policy.Plan {
	if p == nil {
		return nil
	}
	out := p
	for i := range intents {
		if !isRecentIdleStop(&intents[i], s.Now) {
			continue
		}
		if out == p {
			out = p.Clone()
		}
		letGoFirst(s, out, &intents[i])
	}
	return out
}

// Apply returns the plan with the stop. The plan itself is not changed.
func Apply(s *policy.Snapshot, p *policy.Plan, x *bridge.IdleStop) *policy.Plan {
	if p == nil || x == nil {
		return p
	}
	out := p.Clone()
	from, to := out.Decision(policy.JobID(x.Job)), out.Decision(policy.JobID(x.For))
	if from == nil || to == nil {
		return out
	}
	from.Verb, from.On, from.GPUs, from.StoppedFor = policy.Stop, nil, 0, to.Job
	from.Why = fmt.Sprintf("its GPUs did no work for %s, its owner allows that it is requeued then, and job %s waits for them", policy.FormatDuration(x.Idle.Truncate(time.Second)), s.JobLabel(to.Job))
	to.Verb, to.On, to.GPUs = policy.Start, x.On, x.On.Count()
	to.Why = fmt.Sprintf("starts on GPUs with which job %s did no work", s.JobLabel(from.Job))
	return out
}

// yieldFor is how long after it was stopped a job lets the other go first. By then Slurm has started that, or does not.
const yieldFor = 10 * time.Minute

// letGoFirst lets the job that was stopped come after the one it was stopped for, while that waits: the two change places in
// the line, and the one that was stopped is not started before.
func letGoFirst(s *policy.Snapshot, p *policy.Plan, in *bridge.Intent) {
	from, to := s.Job(policy.JobID(in.Edit.Run.Job)), s.Job(policy.JobID(in.Before.Stop.Beneficiary))
	if from == nil || to == nil || from.State != policy.Pending || !to.CanStart(s.Now) {
		return
	}
	a, b := p.Decision(from.ID), p.Decision(to.ID)
	if a == nil || b == nil || b.Verb == policy.Hold || a.Rank >= b.Rank {
		return
	}
	a.Rank, b.Rank = b.Rank, a.Rank
	if a.Verb == policy.Start && b.Verb != policy.Start {
		a.Verb, a.On, a.GPUs = policy.Wait, nil, 0
		a.Why = fmt.Sprintf("waits in the queue: it was stopped for job %s, which starts first", s.JobLabel(to.ID))
	}
}

// isRecentIdleStop reports whether an intent stopped its job because its GPUs did no work, so lately that it lets the other go first.
func isRecentIdleStop(in *bridge.Intent, now time.Time) bool {
	stop := in.RecentStop(now, yieldFor)
	return stop != nil && stop.Idle > 0 && stop.Signal == ""
}
