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

// halves are the two parts of a pack that are worth the most together, and how much more than the whole; 0: it is
// not to be parted.
type halves struct {
	parts [2]Pack
	gain  float64
}

// part parts packs while there are GPUs left for one part of them, first where that gains the most for
// each GPU.
func (c *Chooser) part() {
	all := make([]halves, len(c.packs))
	for i := range c.packs {
		all[i] = c.bestHalves(&c.packs[i])
	}
	for {
		at, best := -1, 0.0
		for i := range all {
			d := c.packs[i].devices()
			if gain := all[i].gain / float64(max(d.Count, 1)); gain > best && c.has(d) {
				at, best = i, gain
			}
		}
		if at < 0 {
			return
		}
		d, parts := c.packs[at].devices(), all[at].parts
		c.Budget.TakeDevices(d.GPUType, d.Count)
		c.packs[at], all[at] = parts[0], c.bestHalves(&parts[0])
		c.packs, all = append(c.packs, parts[1]), append(all, c.bestHalves(&parts[1]))
	}
}

// bestHalves finds the parts of a pack.
func (c *Chooser) bestHalves(p *Pack) (best halves) {
	for mask := 1; mask < 1<<(len(p.Units)-1); mask++ {
		var sides [2][]*Unit
		for i, u := range p.Units {
			sides[mask>>i&1] = append(sides[mask>>i&1], u)
		}
		x, _, gainsX := c.newPack(sides[0])
		y, _, gainsY := c.newPack(sides[1])
		if gain := x.Worth + y.Worth - p.Worth; gainsX && gainsY && gain > best.gain {
			best = halves{[2]Pack{x, y}, gain}
		}
	}
	return best
}

// mostJoiners is how many units of one kind of devices may join others in a round, those whose work is worth the most.
const mostJoiners = 64

// joinFixed lets units that wait and found no GPUs join those that run in any case, each where that gains the most.
func (c *Chooser) joinFixed() {
	for _, k := range c.kinds {
		joiners := slices.DeleteFunc(slices.Clone(k.units), func(u *Unit) bool { return u.isTaken || u.runs() || u.sharesMB == 0 })
		for _, u := range joiners[:min(len(joiners), mostJoiners)] {
			c.joinBest(u)
		}
	}
}

// joinBest puts the unit into the fixed pack of its kind in which it gains the most, if it does in one.
func (c *Chooser) joinBest(u *Unit) {
	var best Pack
	at, most := -1, 0.0
	for i := range c.packs {
		p := &c.packs[i]
		if p.devices() != u.Devices || !p.isFixed() {
			continue
		}
		with, _, gains := c.newPack(append(slices.Clone(p.Units), u))
		if gain := with.Worth - p.Worth; gains && gain > most && c.keepsTurns(with.Units) {
			at, best, most = i, with, gain
		}
	}
	if at >= 0 {
		c.packs[at], u.isTaken = best, true
	}
}
