package colocate

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

// headCount is how many units of one kind of devices are tried with each other at a time: those whose work
// is worth the most.
const headCount = 10

// Chooser chooses packs in one round so that what is done is worth the most for each GPU, the best pack first. Every unit that has
// a lease is in some pack. The GPUs that their packs leave are leased to the next in line, and so on until there are
// too few for any. Then others join those that run in any case, and packs are parted as long as GPUs are left for that.
type Chooser struct {
	Terms
	Round   *engine.Round
	WorthOf func(*engine.Entry) float64 // what the job does in a second alone
	LeftOf  func(*engine.Entry) float64 // seconds until it is done, alone
	Budget  grant.FreeByType            // GPUs there are for packs

	model   Model
	worths  []float64 // by Entry.Index
	units   []*Unit
	next    map[string]int // by GPU type: see isNext
	kinds   []*kind
	packs   []Pack
	scratch []*engine.Entry
}

// kind is the units of one kind of devices.
type kind struct {
	Devices
	units []*Unit // those worth most first
	best  Pack    // of those not taken; without units: there is none
	found bool    // best is up to date
}

// Choose returns the packs that are to run, of units in the order of the line.
func (c *Chooser) Choose(units []*Unit) []Pack {
	c.prepare(units)
	for isMore := true; isMore; isMore = c.leaseRest(units) {
		for _, k := range c.kinds {
			k.found = false
		}
		for k := c.bestKind(); k != nil; k = c.bestKind() {
			c.take(k)
		}
	}
	for _, u := range units {
		if u.IsFixed && !u.isTaken {
			c.packs = append(c.packs, Pack{[]*Unit{u}, u.Worth})
		}
	}
	c.joinFixed()
	c.part()
	return c.packs
}

// leaseRest leases the GPUs that are left to the first in line for whom there are enough. It reports whether there
// were some.
func (c *Chooser) leaseRest(units []*Unit) (some bool) {
	left := slices.Clone(c.Budget)
	for _, u := range units {
		if !u.isTaken && !u.IsFixed && left.TakeDevices(u.Devices.GPUType, u.Devices.Count) {
			u.HasLease, some = true, true
		}
	}
	return some
}

// prepare values the units and lists them by the kind of their devices.
func (c *Chooser) prepare(units []*Unit) {
	c.worths = make([]float64, len(c.Round.Entries))
	c.units, c.next = units, map[string]int{}
	byDevices := map[Devices]*kind{}
	for _, u := range units {
		for _, e := range u.Jobs {
			c.worths[e.Index], u.left = c.WorthOf(e), max(u.left, c.LeftOf(e))
		}
		c.value(u)
		k := byDevices[u.Devices]
		if k == nil {
			k = &kind{Devices: u.Devices}
			byDevices[u.Devices], c.kinds = k, append(c.kinds, k)
		}
		k.units = append(k.units, u)
	}
	for _, k := range c.kinds {
		memMB := sharedMemMB(c.Round.Snapshot, k.Devices)
		for _, u := range k.units {
			if u.sharesMB = memMB; u.runs() && (!c.Regroups || u.IsFixed) {
				u.sharesMB = heldMemMB(c.Round, u.Jobs[0].On)
			}
			if slices.ContainsFunc(u.Jobs, func(e *engine.Entry) bool { return !IsProfiled(e.Job) }) {
				u.sharesMB = 0
			}
		}
		slices.SortStableFunc(k.units, func(a, b *Unit) int { return cmp.Compare(b.Worth, a.Worth) })
	}
}

// value says what the unit by itself does in a second.
func (c *Chooser) value(u *Unit) {
	speeds, known := c.model.SpeedsOf(u.Jobs)
	u.Worth = 0
	for i, e := range u.Jobs {
		if !known && i < len(speeds) {
			speeds[i] = 1 / float64(len(u.Jobs))
		}
		u.Worth += speeds[min(i, len(speeds)-1)] * c.worths[e.Index]
	}
}

// bestKind returns the kind whose best pack is worth the most for each GPU, of those that there are GPUs for;
// nil: there is none.
func (c *Chooser) bestKind() *kind {
	var best *kind
	most := 0.0
	for _, k := range c.kinds {
		if !k.found {
			k.best, k.found = c.bestPack(k), true
		}
		if len(k.best.Units) == 0 || !k.best.isFixed() && !c.has(k.Devices) {
			continue
		}
		if worth := c.gainOf(&k.best) / float64(max(k.Count, 1)); best == nil || worth > most {
			best, most = k, worth
		}
	}
	return best
}

// gainOf is what a pack is worth beyond what runs in any case.
func (c *Chooser) gainOf(p *Pack) float64 {
	gain := p.Worth
	for _, u := range p.Units {
		if u.IsFixed {
			gain -= u.Worth
		}
	}
	return gain
}

// has reports whether there are GPUs for one pack more on such devices.
func (c *Chooser) has(d Devices) bool { return slices.Clone(c.Budget).TakeDevices(d.GPUType, d.Count) }

// take takes the best pack of a kind.
func (c *Chooser) take(k *kind) {
	if !k.best.isFixed() {
		c.Budget.TakeDevices(k.GPUType, k.Count)
	}
	for _, u := range k.best.Units {
		u.isTaken = true
	}
	k.units = slices.DeleteFunc(k.units, func(u *Unit) bool { return u.isTaken })
	c.packs, k.found = append(c.packs, k.best), false
}
