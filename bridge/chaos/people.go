package chaos

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// submit is a job that comes: of most kinds there are.
func (t *trial) submit(r *rand.Rand) {
	s := sim.Spec{
		User: pick(r, users), Account: fmt.Sprint("a", r.IntN(3)), Checkpoint: r.IntN(2) == 0, NoRequeue: r.IntN(6) == 0, Fails: r.IntN(12) == 0,
		Work: time.Duration(1+r.IntN(40)) * time.Minute, Limit: time.Duration(41+r.IntN(200)) * time.Minute, CPUs: 1 + r.IntN(8),
		GPUs: 1 << r.IntN(4),
	}
	if r.IntN(2) == 0 {
		s.GPUs, s.GPUsPerNode, s.Nodes = 0, 1+r.IntN(t.GPUs), 1+r.IntN(2)
	}
	if r.IntN(5) < 3 {
		s.Comment = "fairbridge:preemptible,ckpt=5s"
	}
	t.oddities(r, &s)
	if _, err := t.w.Submit(s); err != nil {
		t.oracle.breach("harness", 0, "submitting %+v: %v", s, err)
	}
}

// oddities make some jobs special.
func (t *trial) oddities(r *rand.Rand, s *sim.Spec) {
	switch r.IntN(24) {
	case 0:
		s.Array, s.ArrayMax = 2+r.IntN(12), r.IntN(4)
	case 1:
		s.User = exempt
	case 2:
		s.Account = "spared"
	case 3:
		s.Partition = other
	case 4:
		s.Name = markHet
	case 5:
		s.Name = markCron
	case 6:
		s.Name = markReserved
	case 7:
		s.Name = markInteractive
	case 8:
		s.Begin = t.w.Now().Add(time.Duration(1+r.IntN(40)) * time.Minute)
	case 9:
		s.Deadline = t.w.Now().Add(s.Limit + time.Duration(5+r.IntN(60))*time.Minute)
	case 10:
		s.Hold = true
	case 11:
		s.Nice = int64(r.IntN(500))
	case 12:
		s.QOS = "high"
	case 13:
		s.Required = []string{fmt.Sprint("n", 1+r.IntN(t.Nodes))}
	case 14:
		s.Excluded = []string{fmt.Sprint("n", 1+r.IntN(t.Nodes))}
	case 15:
		s.Exclusive = true
	case 16:
		s.Dependency = fmt.Sprint("afterany:", 1+r.IntN(20))
	}
}

// Names of jobs that Slurm shows as what a World knows nothing of.
const (
	markHet         = "het"
	markCron        = "cron"
	markReserved    = "reserved"
	markInteractive = "interactive"
)

// dressed returns a record as this release shows it.
func (t *trial) dressed(j slurm.Job) slurm.Job {
	switch j.Name {
	case markHet:
		j.HetJob = j.ID
	case markCron:
		j.Cron = "0 * * * *"
	case markReserved:
		j.Reservation = "maintenance"
	case markInteractive:
		j.Batch = false
	}
	if t.Release < "25.11" {
		j.SLUID = ""
	}
	return j
}

// deeds are what people do to a job that waits or runs.
var deeds = map[Kind]func(*trial, *rand.Rand){
	OwnHold:    some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) { _ = t.w.Hold(j.User, j.ID) }),
	OwnRelease: some(heldJob, func(t *trial, j *slurm.Job, r *rand.Rand) { _ = t.w.Release(j.User, j.ID) }),
	OwnNow:     some(delayedJob, func(t *trial, j *slurm.Job, r *rand.Rand) { t.begin(j.User, j, 0) }),
	OwnLater: some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) {
		t.begin(j.User, j, time.Duration(1+r.IntN(90))*time.Minute)
	}),
	OwnNice: some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) {
		_ = t.w.Update(j.User, j.ID, sim.Update{Nice: sim.Ptr(int64(r.IntN(1000)))})
	}),
	OwnLimit: some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) {
		_ = t.w.Update(j.User, j.ID, sim.Update{Limit: sim.Ptr(j.Limit - time.Duration(r.IntN(20))*time.Minute)})
	}),
	OwnNodes: some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) {
		list := []string{fmt.Sprint("n", 1+r.IntN(t.Nodes))}
		if r.IntN(3) == 0 {
			list = []string{}
		}
		_ = t.w.Update(j.User, j.ID, sim.Update{Required: &list})
	}),
	OwnCancel:  some(anyJob, func(t *trial, j *slurm.Job, r *rand.Rand) { _ = t.w.Cancel(j.User, fmt.Sprint(j.ID)) }),
	OwnTop:     some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) { t.top(j) }),
	OwnRequeue: some(runningJob, func(t *trial, j *slurm.Job, r *rand.Rand) { _ = t.w.Requeue(j.User, fmt.Sprint(j.ID), true) }),
	AdmHold:    some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) { _ = t.w.Hold(operator, j.ID) }),
	AdmRelease: some(heldJob, func(t *trial, j *slurm.Job, r *rand.Rand) { _ = t.w.Release(operator, j.ID) }),
	AdmPrio: some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) {
		_ = t.w.Update(operator, j.ID, sim.Update{Priority: sim.Ptr(int64(1 + r.IntN(5_000_000)))})
	}),
	AdmNice: some(pendingJob, func(t *trial, j *slurm.Job, r *rand.Rand) {
		_ = t.w.Update(operator, j.ID, sim.Update{Nice: sim.Ptr(int64(r.IntN(2000) - 1000))})
	}),
	Aside:     (*trial).setAside,
	AsideEnds: (*trial).giveUp,
	AdmNow:    some(delayedJob, func(t *trial, j *slurm.Job, r *rand.Rand) { t.begin(operator, j, 0) }),
	AdmLimit: some(anyJob, func(t *trial, j *slurm.Job, r *rand.Rand) {
		_ = t.w.Update(operator, j.ID, sim.Update{Limit: sim.Ptr(time.Duration(30+r.IntN(9000)) * time.Minute)})
	}),
}

// some makes a deed of one to a job that may be chosen, if there is one.
func some(may func(*trial, *slurm.Job) bool, do func(*trial, *slurm.Job, *rand.Rand)) func(*trial, *rand.Rand) {
	return func(t *trial, r *rand.Rand) {
		jobs := slices.DeleteFunc(t.w.Jobs(), func(j slurm.Job) bool { return !may(t, &j) })
		if len(jobs) > 0 {
			do(t, &jobs[r.IntN(len(jobs))], r)
		}
	}
}

func anyJob(_ *trial, j *slurm.Job) bool     { return !j.Done() }
func runningJob(_ *trial, j *slurm.Job) bool { return j.State == "RUNNING" }
func pendingJob(_ *trial, j *slurm.Job) bool { return j.Pending() }
func heldJob(_ *trial, j *slurm.Job) bool    { return j.Pending() && j.Held }

// delayedJob is one that waits for its begin time, which is often ours.
func delayedJob(t *trial, j *slurm.Job) bool { return j.Pending() && j.Eligible.After(t.w.Now()) }

func (t *trial) begin(by string, j *slurm.Job, later time.Duration) {
	_ = t.w.Update(by, j.ID, sim.Update{Begin: sim.Ptr(t.w.Now().Add(later).Truncate(time.Second))})
}

// top is scontrol top: slurmctld takes nice from the job and gives it to the
// owner's others.
func (t *trial) top(j *slurm.Job) {
	others := slices.DeleteFunc(t.w.Jobs(), func(o slurm.Job) bool {
		return o.ID == j.ID || !o.Pending() || o.Held || o.User != j.User || o.Account != j.Account || o.QOS != j.QOS || o.Priority <= j.Priority
	})
	slices.SortFunc(others, func(a, b slurm.Job) int { return cmp.Compare(a.ID, b.ID) })
	if len(others) == 0 || j.Held || strings.HasPrefix(t.Release, "22.05") {
		return
	}
	step := int64(0)
	for _, o := range others {
		step = max(step, o.Priority-j.Priority+1)
	}
	_ = t.w.Update("", j.ID, sim.Update{Nice: sim.Ptr(j.Nice - step)})
	for _, o := range others {
		_ = t.w.Update("", o.ID, sim.Update{Nice: sim.Ptr(o.Nice + step/int64(len(others)) + 1)})
	}
}
