package probes

import (
	"time"

	"fairbridge/bridge/idle"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// progressIsWork is how long a job that reported progress counts as working, whatever its GPUs show. Who reports what is not so keeps
// GPUs that he holds anyway: reports count here that are believed in nothing else.
const progressIsWork = 10 * time.Minute

// watchIdle notes which GPUs of running jobs do no work, and tells of each job for how long all of its GPUs have not.
func (p *Probes) watchIdle(v *slurm.View, seen []Reading, newest map[int64]*nodeprobe.ProgressReport) {
	running := map[int64]*slurm.Job{}
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.State == "RUNNING" {
			running[j.ID] = j
		}
	}
	strays := nodesWithStrayWork(seen)
	byJob := map[int64][]idle.Reading{}
	var all []idle.Reading
	for i := range seen {
		r := &seen[i]
		j := running[int64(r.Job)]
		if j == nil || r.use == nil {
			continue
		}
		x := idle.Reading{GPU: idle.GPU{Job: j.ID, Restarts: j.Restarts, Node: r.Node, Device: r.UUID}, At: r.At, Busy: r.Busy, MemBusy: r.use.MemBusy, IsShared: r.JobsOnGPU > 1}
		if report := newest[j.ID]; strays[r.Node] || !r.ProcessCount.Known || r.processWork >= idle.BusyShare || report != nil && report.AgeSeconds < progressIsWork.Seconds() {
			x.Busy = policy.OptionalValue{}
		}
		all, byJob[x.Job] = append(all, x), append(byJob[x.Job], x)
	}
	p.idle = p.idle.Without(func(g idle.GPU, since time.Time) bool {
		j := running[g.Job]
		return j == nil || j.Restarts != g.Restarts || j.SuspendTime.After(since)
	}).Read(all, p.now())
	for id, j := range running {
		if use, known := p.useByJob[id]; known {
			use.IdleFor = p.idle.IdleFor(byJob[id], j.GPUCount())
			p.useByJob[id] = use
		}
	}
}

// nodesWithStrayWork are the nodes on which a GPU works that Slurm gave to no job, as far as is known: Slurm's numbers of GPUs may
// be others than the driver's there, and the work that of any job.
func nodesWithStrayWork(seen []Reading) map[string]bool {
	out := map[string]bool{}
	for i := range seen {
		if r := &seen[i]; r.Job == 0 && r.Busy.Known && r.Busy.Value >= idle.BusyShare {
			out[r.Node] = true
		}
	}
	return out
}
