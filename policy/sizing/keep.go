package sizing

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
)

// KeepSizes takes changes of running jobs back that are not worth a restart: a job grows only
// if it ends that much earlier, and shrinks only as far as others need its devices. Where they
// only grow by them, that must be worth more than all restarts and what shrinking costs.
func (w RestartRule) KeepSizes(c *Contest) {
	short := -c.Idle // devices that are wanted beyond those that idle
	starts, gained := false, 0.0
	var shrinking, growing []*Contender
	for _, j := range c.Jobs {
		has := j.On.Count()
		if saved := j.secondsSaved(); j.HoldsGPUs() && j.Size > has {
			if !w.IsWorthGrowing(j.Entry, j.Size, saved) {
				j.Size = has
			} else {
				gained += saved - w.CostOf(j.Job).Seconds()
				growing = append(growing, j)
			}
		}
		starts = starts || !j.HoldsGPUs() && j.Size > 0
		if j.HoldsGPUs() && j.Size > 0 && j.Size < has {
			shrinking = append(shrinking, j)
			short += has - j.Size
		}
		short += j.Size - has
	}
	lost := w.keepUnneeded(shrinking, short)
	if !starts && lost > 0 && gained <= lost {
		for _, j := range append(growing, shrinking...) {
			j.Size = j.On.Count()
		}
	}
}

// keepUnneeded lets jobs keep their size that need not shrink for what is short, those that
// would lose most first, and returns the seconds that the others lose.
func (w RestartRule) keepUnneeded(shrinking []*Contender, short int) (lost float64) {
	slices.SortStableFunc(shrinking, func(a, b *Contender) int { return cmp.Compare(b.secondsSaved(), a.secondsSaved()) })
	for _, j := range shrinking {
		has := j.On.Count()
		if short <= 0 {
			j.Size = has
			continue
		}
		short -= has - j.Size
		lost += w.NeededGain(j.Job) - j.secondsSaved()
	}
	return lost
}

// secondsSaved is how much earlier the job ends by its new size, without the restart.
func (j *Contender) secondsSaved() float64 {
	if !j.HoldsGPUs() || j.Size == 0 {
		return 0
	}
	return j.SecondsOn(j.On.Count()) - j.SecondsOn(j.Size)
}

// KeepUnlessWorth lets running jobs keep their size where growing to the one they have in the
// draft is not worth a restart, and then where what they gave up is still free, the first of
// the list first.
func KeepUnlessWorth(d *Draft, jobs []*engine.Entry, isWorth func(e *engine.Entry, devices int) bool) {
	for _, e := range jobs {
		if has, gets := e.On.Count(), d.Size(e); has > 0 && gets > has && !isWorth(e, gets) {
			d.TrySize(e, has, nil)
		}
	}
	for _, e := range jobs {
		if has := e.On.Count(); d.Size(e) < has {
			d.TrySize(e, has, nil)
		}
	}
}
