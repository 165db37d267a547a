package optimus

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
	"fairbridge/policy/pool"
	"fairbridge/policy/sizing"
)

// size says how many devices every job is given.
func (o *allocator) size() {
	o.grow()
	if o.MinGain <= 0 {
		return
	}
	for o.pinSmallGrowth() {
		o.grow()
	}
	o.keepSizesUnlessWorth()
}

// grow gives every job its least, and then what is left of each type to those it saves most.
func (o *allocator) grow() {
	for _, left := range o.giveFloors() {
		var claims []claim
		var of []*bid
		for _, b := range o.bids {
			if b.count > 0 && !b.isFixed && !b.isPinned && b.secondsOn != nil && b.gpuType == left.Type {
				b.has = b.count
				claims, of = append(claims, b.claim), append(of, b)
			}
		}
		divide(claims, left.Count, o.Growth == "hull")
		for i := range of {
			of[i].count = claims[i].has
		}
	}
}

// changes reports whether a running job is given another size.
func (b *bid) changes() bool { return !b.isFixed && b.HoldsGPUs() && b.count != b.On.Count() }

// restarts says when a running job is worth resizing.
func (o *allocator) restarts() sizing.RestartRule {
	return sizing.RestartRule{Cost: o.RestartCost, MinGain: o.MinGain}
}

// pinSmallGrowth pins running jobs that would grow for less than that is worth. It reports
// whether there were any.
func (o *allocator) pinSmallGrowth() (found bool) {
	for _, b := range o.bids {
		if b.changes() && b.count > b.On.Count() && !o.restarts().IsWorthGrowing(b.Entry, b.count, b.secondsOn(b.On.Count())-b.secondsOn(b.count)) {
			b.isPinned, found = true, true
		}
	}
	return found
}

// keepSizesUnlessWorth lets running jobs that should shrink keep their sizes where that keeps no
// job from running and costs the others less than the restarts.
func (o *allocator) keepSizesUnlessWorth() {
	counts, pinned := o.counts(), []*bid{}
	cost, seconds := 0., o.sumSeconds()
	for _, b := range o.bids {
		if b.changes() && b.count > 0 {
			cost += o.restarts().NeededGain(b.Job)
			b.isPinned = true
			pinned = append(pinned, b)
		}
	}
	if len(pinned) == 0 {
		return
	}
	if o.grow(); o.runsAllOf(counts) && o.sumSeconds()-seconds < cost {
		return
	}
	for _, b := range pinned {
		b.isPinned = false
	}
	for i, b := range o.bids {
		b.count = counts[i]
	}
}

func (o *allocator) counts() []int {
	counts := make([]int, len(o.bids))
	for i, b := range o.bids {
		counts[i] = b.count
	}
	return counts
}

// runsAllOf reports whether every job runs now that would with the counts.
func (o *allocator) runsAllOf(counts []int) bool {
	for i, b := range o.bids {
		if counts[i] > 0 && b.count == 0 {
			return false
		}
	}
	return true
}

// sumSeconds is the time left of all elastic jobs that get devices.
func (o *allocator) sumSeconds() (sum float64) {
	for _, b := range o.bids {
		if b.secondsOn != nil && b.count > 0 && !b.isFixed {
			sum += b.secondsOn(b.count)
		}
	}
	return sum
}

// arrange finds the very devices: jobs that run on with their size keep theirs, those of all
// others are free, and the smallest jobs choose first.
func (o *allocator) arrange(turns []engine.Assignment) {
	free := o.round.FreePool
	mark := free.UndoMark()
	defer free.Rewind(mark)
	var moving []int
	for i, b := range o.bids {
		switch {
		case b.isFixed || b.HoldsGPUs() && !b.changes() || b.count == 0 && !b.HoldsGPUs():
			continue
		case b.HoldsGPUs():
			pool.GiveBackHeld(free, b.Job)
		}
		if b.count > 0 {
			moving = append(moving, i)
		}
	}
	slices.SortStableFunc(moving, func(i, k int) int { return cmp.Compare(o.bids[i].count, o.bids[k].count) })
	for _, i := range moving {
		turns[i].Alloc = o.place(o.bids[i], &turns[i])
	}
}

// place takes devices for a job, as many as it is given or else as find room with their cores
// and memory: one that runs rather keeps its own. nil where there is no room for it.
func (o *allocator) place(b *bid, turn *engine.Assignment) policy.Alloc {
	e, free := b.Entry, o.round.FreePool
	e.Grant = turn.Grant
	if e.Ask.GPUs.Type == "" {
		typ := cmp.Or(b.gpuType, b.placedOn)
		turn.Grant.GPUType, e.Grant.GPUType = typ, typ
	}
	for n := b.count; n >= b.floor; n-- {
		turn.DeviceCount, e.WantedDeviceCount = n, n
		gang := e.GangAsk()
		if on, err := o.findPlace(e, gang); err == nil && free.Take(on, gang.CPUs, gang.MemMB) == nil {
			return on
		}
		if e.HoldsGPUs() && pool.TakeHeld(free, e.Job) == nil {
			turn.DeviceCount = e.On.Count()
			return nil
		}
	}
	return nil
}

func (o *allocator) findPlace(e *engine.Entry, gang policy.Ask) (policy.Alloc, error) {
	if o.Placement == "emptiest" {
		return place.EmptiestFirst{}.Place(o.round, e)
	}
	return pool.Fit(o.round.FreePool, e.Partition, gang)
}
