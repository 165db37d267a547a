package colocate

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/interference"
	"fairbridge/policy/interleave"
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

// MaxJobs is how many jobs a pack has at most.
const MaxJobs = interleave.MaxJobs

// oneInTen is how many standard errors below what is expected one pair in ten is.
const oneInTen = 1.2816

// wholeShare is all of a GPU: jobs whose parts of it, by how busy they keep it, are more than that together
// are not known to gain beside each other.
const wholeShare = 4

// Model says how fast jobs are beside each other, in one round. By the seconds that a step needs each
// kind of resource, where that is known of all of them (package interleave); else by how much of the time
// their GPUs compute, and then as slow as one pair in ten is (package interference).
type Model struct {
	times interleave.Times
}

// Speeds are those of the jobs of a pack, relative to their speeds alone.
type Speeds [MaxJobs]float64

// IsProfiled reports whether something is known of how the job does beside others.
func IsProfiled(j *policy.Job) bool {
	if !j.Shareable {
		return false
	}
	_, known := interleave.JobOf(j.Sharing)
	return known || interference.Utilisation(j).Known
}

// SpeedsOf returns how fast each of the jobs goes beside the others; known is false where their
// profiles do not tell.
func (m *Model) SpeedsOf(jobs []*engine.Entry) (s Speeds, known bool) {
	if len(jobs) == 1 {
		return Speeds{1}, true
	}
	if len(jobs) > MaxJobs {
		return s, false
	}
	if s, known = m.byStages(jobs); known {
		return s, true
	}
	return byUse(jobs)
}

// byStages goes by the stages of the jobs' steps.
func (m *Model) byStages(jobs []*engine.Entry) (s Speeds, known bool) {
	var staged [MaxJobs]interleave.Job
	for i, e := range jobs {
		if staged[i], known = interleave.JobOf(e.Sharing); !known {
			return s, false
		}
	}
	step := m.times.StepSeconds(staged[:len(jobs)])
	for i := range jobs {
		s[i] = staged[i].StepSeconds / step
	}
	return s, step > 0
}

// byUse goes by how much of the time the jobs' GPUs compute. A job that computes most of the time is
// not known to gain beside any: it needs the whole GPU, as where shares of it are given out.
func byUse(jobs []*engine.Entry) (s Speeds, known bool) {
	shares := 0
	for i, e := range jobs {
		class, known := interference.ClassOf(e.Job)
		if shares += sharesOf[class]; !known || shares > wholeShare {
			return s, false
		}
		s[i] = 1
		for k, o := range jobs[:i] {
			s[i] *= interference.JobBeside(e.Job, o.Job).Low(oneInTen)
			s[k] *= interference.JobBeside(o.Job, e.Job).Low(oneInTen)
		}
	}
	return s, true
}

// sharesOf is how many of wholeShare parts of a GPU jobs of a class need.
var sharesOf = [...]int{interference.Tiny: 1, interference.Medium: 2, interference.Jumbo: wholeShare}

// bestPack returns the pack that is worth the most of those with a unit that has a lease, of the units that are worth the
// most each.
func (c *Chooser) bestPack(k *kind) Pack {
	s := packSearch{Chooser: c, heads: heads(k)}
	s.extend(nil, 0)
	return s.best
}

// heads are the units that are tried with each other, one with a lease among them; none where none is left.
func heads(k *kind) []*Unit {
	heads := slices.Clone(k.units[:min(len(k.units), headCount)])
	if slices.ContainsFunc(heads, (*Unit).isLeased) {
		return heads
	}
	i := slices.IndexFunc(k.units, (*Unit).isLeased)
	if i < 0 {
		return nil
	}
	heads[len(heads)-1] = k.units[i]
	return heads
}

// isLeased reports whether it is to run, and does not in any case.
func (u *Unit) isLeased() bool { return u.HasLease && !u.IsFixed }

// packSearch tries all packs of some units.
type packSearch struct {
	*Chooser
	heads []*Unit
	best  Pack
	gain  float64
}

// extend tries the first n units chosen, and all further ones from an index on with them.
func (s *packSearch) extend(chosen []*Unit, from int) {
	for i := from; i < len(s.heads); i++ {
		with := append(chosen, s.heads[i])
		p, may, gains := s.newPack(with)
		if !may {
			continue
		}
		if gain := s.gainOf(&p); gains && s.keepsTurns(with) && slices.ContainsFunc(with, (*Unit).isLeased) && (len(s.best.Units) == 0 || gain > s.gain) {
			p.Units = slices.Clone(with)
			s.best, s.gain = p, gain
		}
		if len(with) < s.Jobs {
			s.extend(with, i+1)
		}
	}
}
