package colocate

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Terms are on which jobs share GPUs.
type Terms struct {
	Jobs       int     // at most, on a GPU
	LeastSpeed float64 // below which no job is to be beside others, relative to its speed alone
	// Regroups: jobs that run may leave their GPUs for others that they share with other jobs. Else those that
	// share some stay together.
	Regroups bool
}

// Pack is units that run on the same GPUs.
type Pack struct {
	Units []*Unit
	Worth float64 // of what they do in a second
}

// Jobs are those of its units.
func (p *Pack) Jobs() []*engine.Entry {
	var jobs []*engine.Entry
	for _, u := range p.Units {
		jobs = append(jobs, u.Jobs...)
	}
	return jobs
}

func (p *Pack) devices() Devices { return p.Units[0].Devices }

// isFixed reports whether its GPUs are not there to be granted.
func (p *Pack) isFixed() bool {
	return slices.ContainsFunc(p.Units, func(u *Unit) bool { return u.IsFixed })
}

// newPack returns the units as a pack. They gain where they do more together than one of them at a time, and none
// of them less than it must; may is false where they may not share, whether they gain or not.
func (c *Chooser) newPack(units []*Unit) (p Pack, may, gains bool) {
	if len(units) == 1 {
		return Pack{units, units[0].Worth}, true, true
	}
	if !c.mayShare(units) {
		return p, false, false
	}
	p = Pack{Units: units}
	jobs := c.scratch[:0]
	for _, u := range units {
		jobs = append(jobs, u.Jobs...)
	}
	c.scratch = jobs
	speeds, known := c.model.SpeedsOf(jobs)
	together, slowest := 0.0, 1.0
	for i, e := range jobs {
		together, slowest = together+speeds[i], min(slowest, speeds[i])
		p.Worth += speeds[i] * c.worths[e.Index]
	}
	return p, true, known && together > 1 && slowest >= c.LeastSpeed
}

// outlast is how many times as long as a job that joins out of turn another of its pack must be thought to run:
// predictions err by half in the mean.
const outlast = 4

// keepsTurns reports whether none of the units has GPUs of its own before its turn: one that waits and has no lease
// must not outlast the others, whose GPUs it would then keep, unless it is the next in line. Where jobs that run
// may be regrouped it would not keep them.
func (c *Chooser) keepsTurns(units []*Unit) bool {
	for i, u := range units {
		if c.Regroups || u.HasLease || u.runs() || c.isNext(u) {
			continue
		}
		if !slices.ContainsFunc(units, func(v *Unit) bool { return v != units[i] && v.left >= outlast*u.left }) {
			return false
		}
	}
	return true
}

// isNext reports whether the unit is the first in line of those that wait for GPUs of its type and are in no pack.
func (c *Chooser) isNext(u *Unit) bool {
	at := c.next[u.Devices.GPUType]
	for ; at < len(c.units); at++ {
		if v := c.units[at]; v.Devices.GPUType == u.Devices.GPUType && !v.isTaken && !v.HasLease && !v.runs() {
			break
		}
	}
	c.next[u.Devices.GPUType] = at
	return at < len(c.units) && c.units[at] == u
}

// mayShare reports whether the owners of all jobs accept each other, and their memory is known to fit.
func (c *Chooser) mayShare(units []*Unit) bool {
	memMB, most, count, running := units[0].sharesMB, c.Jobs, 0, 0
	var used int64 = policy.SharedMemMarginMB
	for i, u := range units {
		if u.runs() && !c.Regroups || u.IsFixed {
			memMB, running = u.sharesMB, running+1
		}
		for _, e := range u.Jobs {
			need := e.Sharing.UsedMemMB()
			if need <= 0 || u.sharesMB <= 0 {
				return false
			}
			used, most, count = used+need, min(most, e.JobsPerGPU()), count+1
			for _, v := range units[:i] {
				for _, o := range v.Jobs {
					if !e.AcceptsNeighbour(o.Job) {
						return false
					}
				}
			}
		}
	}
	return running <= 1 && count <= most && used <= memMB
}
