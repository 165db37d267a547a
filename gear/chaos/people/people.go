package people

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/site"
	"fairbridge/replica/sim"
)

// People are the owners of jobs, and the administrators.
type People struct {
	Site  site.Site
	World *sim.World
}

// SubmitJob lets a job come: of most kinds there are.
func (p People) SubmitJob(r *rand.Rand) error {
	s := sim.JobSpec{
		User: site.UserNames[r.IntN(len(site.UserNames))], Account: fmt.Sprint("a", r.IntN(3)), Checkpoints: r.IntN(2) == 0, NoRequeue: r.IntN(6) == 0, Fails: r.IntN(12) == 0,
		WorkTime: time.Duration(1+r.IntN(40)) * time.Minute, TimeLimit: time.Duration(41+r.IntN(200)) * time.Minute, CPUsPerNode: 1 + r.IntN(8),
		GPUs: 1 << r.IntN(4),
	}
	if r.IntN(2) == 0 {
		s.GPUs, s.GPUsPerNode, s.MinNodes = 0, 1+r.IntN(p.Site.GPUsPerNode), 1+r.IntN(2)
	}
	if r.IntN(5) < 3 {
		s.Comment = "fairbridge:preemptible,ckpt=5s"
	}
	if p.Site.IsElastic {
		p.declareSize(r, &s)
	}
	if p.Site.HasService && r.IntN(2) == 0 {
		s.User, s.Account, s.Comment = site.ServiceUser, site.ServiceAccount, cmp.Or(s.Comment, "fairbridge:class=x")+",service="+site.ServiceName
	}
	if p.Site.SharesGPUs {
		p.declareSharing(r, &s)
	}
	if p.Site.StopIdleAfter > 0 {
		p.declareIdle(&s)
	}
	if p.Site.HasTwoManaged {
		both := site.ManagedPartition + "," + site.SecondPartition
		s.Partition = []string{site.ManagedPartition, site.SecondPartition, both}[r.IntN(3)]
	}
	p.addOddTraits(r, &s)
	if _, err := p.World.Submit(s); err != nil {
		return fmt.Errorf("submitting %+v: %w", s, err)
	}
	return nil
}

// declareSize makes most jobs ask for GPUs of one node, and declare what they can run on.
func (p People) declareSize(r *rand.Rand, s *sim.JobSpec) {
	if r.IntN(4) == 0 {
		return
	}
	s.GPUs, s.GPUsPerNode, s.MinNodes = 0, 1+r.IntN(p.Site.GPUsPerNode), 1
	low, high := 1+r.IntN(s.GPUsPerNode), s.GPUsPerNode+r.IntN(p.Site.GPUsPerNode)
	s.Comment = fmt.Sprintf("%s,min=%d,max=%d", cmp.Or(s.Comment, "fairbridge:class=x"), low, high)
	if p.Site.HasTwoTypes && r.IntN(4) > 0 {
		types := []string{site.FirstType, site.SecondType}
		asked := r.IntN(2)
		s.GPUType, s.Comment = types[asked], s.Comment+",types="+types[1-asked]
	}
}

// declareIdle makes jobs long and alike in size, so that what one holds is enough for the next, and lets most owners allow that they are
// requeued when their GPUs do no work.
func (p People) declareIdle(s *sim.JobSpec) {
	n := len(p.World.Jobs())
	s.GPUs, s.GPUsPerNode, s.MinNodes, s.WorkTime, s.TimeLimit = 0, 2+n%2, 1, 2*s.WorkTime, s.TimeLimit+40*time.Minute
	if p.Site.AllowsIdleStop(n) {
		s.Comment = cmp.Or(s.Comment, []string{"fairbridge:class=x", "fairbridge:preemptible,ckpt=5s"}[n%2]) + ",idle=requeue"
	}
}

// changeOwnAsk lets the owner of a job change how many GPUs it asks for, now and then to what we set.
func (p People) changeOwnAsk(j *slurm.Job, r *rand.Rand) {
	_ = p.World.Update(j.User, j.ID, sim.JobUpdate{GPUs: sim.Ptr(1 + r.IntN(p.Site.GPUsPerNode))})
}

// addOddTraits make some jobs special.
func (p People) addOddTraits(r *rand.Rand, s *sim.JobSpec) {
	switch r.IntN(24) {
	case 0:
		s.ArraySize, s.ArrayMaxRunning = 2+r.IntN(12), r.IntN(4)
	case 1:
		s.User = site.ExemptUser
	case 2:
		s.Account = site.ExemptAccount
	case 3:
		s.Partition = site.UnmanagedPartition
	case 4:
		s.Name = site.HetJobName
	case 5:
		s.Name = site.CronJobName
	case 6:
		s.Name = site.ReservedJobName
	case 7:
		s.Name = site.InteractiveJobName
	case 8:
		s.BeginTime = p.World.Now().Add(time.Duration(1+r.IntN(40)) * time.Minute)
	case 9:
		s.Deadline = p.World.Now().Add(s.TimeLimit + time.Duration(5+r.IntN(60))*time.Minute)
	case 10:
		s.Hold = true
	case 11:
		s.Nice = int64(r.IntN(500))
	case 12:
		s.QOS = "high"
	case 13:
		s.RequiredNodes = []string{fmt.Sprint("n", 1+r.IntN(p.Site.NodeCount))}
	case 14:
		s.ExcludedNodes = []string{fmt.Sprint("n", 1+r.IntN(p.Site.NodeCount))}
	case 15:
		s.Exclusive = true
	case 16:
		s.Dependency = fmt.Sprint("afterany:", 1+r.IntN(20))
	}
}

// ActionForKind returns what a person does of the kind of event, to a job that waits or runs
// or to some nodes; nil where the kind is nothing that a person does so.
func ActionForKind(k event.Kind) func(People, *rand.Rand) { return actionByKind[k] }

var actionByKind = map[event.Kind]func(People, *rand.Rand){
	event.OwnerHold:     onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) { _ = p.World.Hold(j.User, j.ID) }),
	event.OwnerRelease:  onRandomJob(isHeldJob, func(p People, j *slurm.Job, r *rand.Rand) { _ = p.World.Release(j.User, j.ID) }),
	event.OwnerBeginNow: onRandomJob(isDelayedJob, func(p People, j *slurm.Job, r *rand.Rand) { p.setBeginTime(j.User, j, 0) }),
	event.OwnerBeginLater: onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) {
		p.setBeginTime(j.User, j, time.Duration(1+r.IntN(90))*time.Minute)
	}),
	event.OwnerNice: onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) {
		switch {
		case p.Site.IsElastic && r.IntN(2) == 0:
			p.changeOwnAsk(j, r)
			return
		case p.Site.SharesGPUs && r.IntN(2) == 0:
			p.changeSharing(j, r)
			return
		}
		_ = p.World.Update(j.User, j.ID, sim.JobUpdate{Nice: sim.Ptr(int64(r.IntN(1000)))})
	}),
	event.OwnerTimeLimit: onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) {
		_ = p.World.Update(j.User, j.ID, sim.JobUpdate{TimeLimit: sim.Ptr(j.TimeLimit - time.Duration(r.IntN(20))*time.Minute)})
	}),
	event.OwnerNodeList: onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) {
		list := []string{fmt.Sprint("n", 1+r.IntN(p.Site.NodeCount))}
		if r.IntN(3) == 0 {
			list = []string{}
		}
		_ = p.World.Update(j.User, j.ID, sim.JobUpdate{RequiredNodes: &list})
	}),
	event.OwnerCancel:    onRandomJob(isAnyJob, func(p People, j *slurm.Job, r *rand.Rand) { _ = p.World.Cancel(j.User, fmt.Sprint(j.ID)) }),
	event.OwnerMoveToTop: onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) { p.moveToTop(j) }),
	event.OwnerRequeue:   onRandomJob(isRunningJob, func(p People, j *slurm.Job, r *rand.Rand) { _ = p.World.Requeue(j.User, fmt.Sprint(j.ID), true) }),
	event.AdminHold:      onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) { _ = p.World.Hold(site.OperatorUser, j.ID) }),
	event.AdminRelease:   onRandomJob(isHeldJob, func(p People, j *slurm.Job, r *rand.Rand) { _ = p.World.Release(site.OperatorUser, j.ID) }),
	event.AdminPriority: onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) {
		_ = p.World.Update(site.OperatorUser, j.ID, sim.JobUpdate{Priority: sim.Ptr(int64(1 + r.IntN(5_000_000)))})
	}),
	event.AdminNice: onRandomJob(isPendingJob, func(p People, j *slurm.Job, r *rand.Rand) {
		_ = p.World.Update(site.OperatorUser, j.ID, sim.JobUpdate{Nice: sim.Ptr(int64(r.IntN(2000) - 1000))})
	}),
	event.AdminComments: onRandomJob(isAnyJob, func(p People, j *slurm.Job, r *rand.Rand) {
		text := fmt.Sprint("checked by ops, ", r.IntN(1000))
		if r.IntN(3) == 0 {
			text = ""
		}
		_ = p.World.Update(site.OperatorUser, j.ID, sim.JobUpdate{AdminComment: &text})
	}),
	event.ReservationMade: People.reserveNodes,
	event.ReservationEnds: People.endReservation,
	event.AdminBeginNow:   onRandomJob(isDelayedJob, func(p People, j *slurm.Job, r *rand.Rand) { p.setBeginTime(site.OperatorUser, j, 0) }),
	event.AdminTimeLimit: onRandomJob(isAnyJob, func(p People, j *slurm.Job, r *rand.Rand) {
		_ = p.World.Update(site.OperatorUser, j.ID, sim.JobUpdate{TimeLimit: sim.Ptr(time.Duration(30+r.IntN(9000)) * time.Minute)})
	}),
}

// onRandomJob lets a person act on one of the jobs that may be chosen, if there is one.
func onRandomJob(may func(People, *slurm.Job) bool, do func(People, *slurm.Job, *rand.Rand)) func(People, *rand.Rand) {
	return func(p People, r *rand.Rand) {
		jobs := slices.DeleteFunc(p.World.Jobs(), func(j slurm.Job) bool { return !may(p, &j) })
		if len(jobs) > 0 {
			do(p, &jobs[r.IntN(len(jobs))], r)
		}
	}
}

func isAnyJob(_ People, j *slurm.Job) bool { return !j.IsDone() }

func isRunningJob(_ People, j *slurm.Job) bool { return j.State == "RUNNING" }

func isPendingJob(_ People, j *slurm.Job) bool { return j.IsPending() }

func isHeldJob(_ People, j *slurm.Job) bool { return j.IsPending() && j.IsHeld }

// isDelayedJob is one that waits for its begin time, which is often ours.
func isDelayedJob(p People, j *slurm.Job) bool {
	return j.IsPending() && j.EligibleTime.After(p.World.Now())
}

func (p People) setBeginTime(by string, j *slurm.Job, later time.Duration) {
	_ = p.World.Update(by, j.ID, sim.JobUpdate{BeginTime: sim.Ptr(p.World.Now().Add(later).Truncate(time.Second))})
}

// moveToTop is scontrol top: slurmctld takes nice from the job and gives it to the
// owner's others.
func (p People) moveToTop(j *slurm.Job) {
	others := slices.DeleteFunc(p.World.Jobs(), func(o slurm.Job) bool {
		return o.ID == j.ID || !o.IsPending() || o.IsHeld || o.User != j.User || o.Account != j.Account || o.QOS != j.QOS || o.Priority <= j.Priority
	})
	slices.SortFunc(others, func(a, b slurm.Job) int { return cmp.Compare(a.ID, b.ID) })
	if len(others) == 0 || j.IsHeld || strings.HasPrefix(p.Site.SlurmRelease, "22.05") {
		return
	}
	step := int64(0)
	for _, o := range others {
		step = max(step, o.Priority-j.Priority+1)
	}
	_ = p.World.Update("", j.ID, sim.JobUpdate{Nice: sim.Ptr(j.Nice - step)})
	for _, o := range others {
		_ = p.World.Update("", o.ID, sim.JobUpdate{Nice: sim.Ptr(o.Nice + step/int64(len(others)) + 1)})
	}
}

// reserveNodes is an administrator who reserves some nodes, or all, from some time
// ahead: for maintenance or for others.
func (p People) reserveNodes(r *rand.Rand) {
	all := p.World.Nodes()
	x := sim.Reservation{Name: fmt.Sprint("r", r.IntN(3)), From: p.World.Now().Add(time.Duration(r.IntN(300)) * time.Minute).Truncate(time.Second)}
	for i, first := 1+r.IntN(len(all)), r.IntN(len(all)); i > 0; i-- {
		x.Nodes = append(x.Nodes, all[(first+i)%len(all)].Name)
	}
	x.To = x.From.Add(time.Duration(5+r.IntN(60)) * time.Minute)
	if r.IntN(2) == 0 {
		x.Flags = append(x.Flags, "MAINT")
	}
	if r.IntN(5) == 0 {
		x.Flags = append(x.Flags, "DAILY")
	}
	_ = p.World.AddReservation(x)
}

// endReservation is one who ends a reservation, or calls it off.
func (p People) endReservation(r *rand.Rand) { p.World.RemoveReservation(fmt.Sprint("r", r.IntN(3))) }

// declareSharing makes most jobs ask for one GPU and accept neighbours, those of others too now and then, and some ask for shards
// by themselves.
func (p People) declareSharing(r *rand.Rand, s *sim.JobSpec) {
	s.GPUs, s.GPUsPerNode, s.MinNodes = 0, 1, 1
	if r.IntN(8) == 0 {
		s.GPUsPerNode = 1 + r.IntN(p.Site.GPUsPerNode)
		return
	}
	if r.IntN(2) == 0 {
		s.GPUType = site.FirstType
	}
	s.WorkTime = time.Duration(60+r.IntN(900)) * time.Second // often some GPU is free: what gets free Slurm gives away as a whole
	if r.IntN(5) == 0 {
		s.BeginTime = p.World.Now().Add(time.Duration(30+r.IntN(900)) * time.Second)
	}
	if r.IntN(8) == 0 {
		s.Comment = "fairbridge:opportunistic,ckpt=5s"
	}
	shareable := "shareable"
	if r.IntN(3) > 0 {
		shareable = "shareable=others"
	}
	if r.IntN(8) > 0 {
		s.Comment = fmt.Sprintf("%s,%s,gpu_mem=%dM,gpu_busy=%d%%", cmp.Or(s.Comment, "fairbridge:class=x"), shareable, 1_000+r.IntN(site.GPUMemMB/2), 1+r.IntN(60))
	}
	if r.IntN(12) == 0 {
		s.GPUsPerNode, s.GPUType, s.Shards = 0, "", 1+r.IntN(p.Site.ShardsPerGPU)
	}
}

// changeSharing lets the owner of a waiting job withdraw that it accepts neighbours, or ask for GPUs or shards anew, now and then for
// what we set.
func (p People) changeSharing(j *slurm.Job, r *rand.Rand) {
	switch r.IntN(3) {
	case 0:
		_ = p.World.Update(j.User, j.ID, sim.JobUpdate{Comment: sim.Ptr("fairbridge:class=x")})
	case 1:
		p.changeOwnAsk(j, r)
	default:
		_ = p.World.Update(j.User, j.ID, sim.JobUpdate{Shards: sim.Ptr(1 + r.IntN(p.Site.ShardsPerGPU))})
	}
}
