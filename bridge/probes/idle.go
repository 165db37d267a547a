package probes

import (
	"time"

	"fairbridge/bridge/idle"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// progressIsWork is how long a job that reported progress counts as working, whatever its GPUs show.
const progressIsWork = 10 * time.Minute

// watchIdle notes which GPUs of running jobs do no work, and tells of each job for how long all of its GPUs have not.
func (p *Probes) watchIdle(v *slurm.View, seen []Reading, newest map[int64]*nodeprobe.ProgressReport) {
	restarts := map[policy.JobID]int{}
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.State == "RUNNING" {
			restarts[policy.JobID(j.ID)] = j.Restarts
		}
	}
	byJob := map[int64][]idle.Reading{}
	var all []idle.Reading
	for i := range seen {
		r := &seen[i]
		n, running := restarts[r.Job]
		if !running || r.use == nil {
			continue
		}
		x := idle.Reading{GPU: idle.GPU{Job: int64(r.Job), Restarts: n, Node: r.Node, Device: r.UUID}, At: r.At, Busy: r.Busy, MemBusy: r.use.MemBusy, IsShared: r.JobsOnGPU > 1}
		if report := newest[int64(r.Job)]; report != nil && report.AgeSeconds < progressIsWork.Seconds() {
			x.Busy = policy.OptionalValue{}
		}
		all, byJob[x.Job] = append(all, x), append(byJob[x.Job], x)
	}
	p.idle = p.idle.Read(all, p.now())
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if use, known := p.useByJob[j.ID]; known && j.State == "RUNNING" {
			use.IdleFor = p.idle.IdleFor(byJob[j.ID], j.GPUCount())
			p.useByJob[j.ID] = use
		}
	}
}
