package people

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
	"fairbridge/replica/sim"
)

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
