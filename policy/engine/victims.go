package engine

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// victims are the running jobs that may be stopped for others: those of the
// largest tier first, within a tier the last of the line first.
type victims struct {
	*Round
	pipeline                *Pipeline
	entryLine               []*Entry
	isSearched              bool // for candidates
	candidates              []*Entry
	released                []*Entry // see releaseFor
	leastTierWithoutVictims int      // the least tier for which there was no job to stop
	searchesLeft            int      // fruitless searches that are left
}

func newVictims(p *Pipeline, r *Round, line []*Entry) *victims {
	return &victims{
		Round: r, pipeline: p, entryLine: line,
		leastTierWithoutVictims: math.MaxInt, searchesLeft: p.Rules.MaxFruitlessSearches,
	}
}

// haveSome reports whether there are any. They are searched for when that is first asked: no decision changes who
// they are.
func (v *victims) haveSome() bool {
	if p, r := v.pipeline, v.Round; !v.isSearched && (p.preempts() || hasLent(r)) {
		for _, e := range slices.Backward(v.entryLine) {
			if !p.preempts() && !r.isLent(e.Job) {
				continue
			}
			isPlain := e.HoldsGPUs() && e.Grant.StopReason == "" && !e.Grant.MayRunWithoutLease && !e.mayMove()
			if isPlain && r.isStoppable(p.Rules, e) {
				e.verdict.tier = p.tier(r, e)
				v.candidates = append(v.candidates, e)
			}
		}
		slices.SortStableFunc(v.candidates, func(a, b *Entry) int {
			return cmp.Compare(b.verdict.tier, a.verdict.tier)
		})
	}
	v.isSearched = true
	return len(v.candidates) > 0
}

// releaseFor gives back what the first n victims for the job hold, with n doubling
// until its gang fits, and returns them. fits is false, and what they hold is to be
// taken again, where it does not fit even without all of them. They are valid until
// the next call.
func (v *victims) releaseFor(e *Entry) (released []*Entry, fits bool) {
	released = v.released[:0]
	gang, next := e.GangAsk(), 1
	for _, victim := range v.candidates {
		if !victim.yieldsTo(e) {
			continue
		}
		pool.GiveBackHeld(v.FreePool, victim.Job)
		released = append(released, victim)
		if len(released) < next {
			continue
		}
		if fits = v.FreePool.Fits(e.Partition, gang); fits {
			break
		}
		next *= 2
	}
	v.released = released
	fits = fits || len(released) > 0 && v.FreePool.Fits(e.Partition, gang)
	v.noteFailure(e, len(released) > 0, fits)
	return released, fits
}

// yieldsTo reports whether the victim, if it still runs on, may be stopped for
// the job.
func (e *Entry) yieldsTo(o *Entry) bool {
	return (e.verdict.verb == "" || e.verdict.verb == policy.Keep) && e.verdict.tier > o.verdict.tier
}

// noteFailure remembers a search that made no room.
func (v *victims) noteFailure(e *Entry, some, fits bool) {
	switch {
	case !some:
		v.leastTierWithoutVictims = e.verdict.tier
	case !fits:
		v.gangFacts(e).hopelessTier = e.verdict.tier
	}
}

// isHopelessFor reports whether a search that failed tells that one for this job will
// too: what stopping can free only shrinks from job to job.
func (v *victims) isHopelessFor(e *Entry) bool {
	return e.verdict.tier >= min(v.leastTierWithoutVictims, v.gangFacts(e).hopelessTier)
}

// spareNeedless takes again what those of the released victims hold that the job has a
// place without, the last to be chosen first, and returns the others: not one of them
// could be left out. A single one was needed as it is. place is one that the job has with all released, and find finds
// another like it, or none.
func (v *victims) spareNeedless(released []*Entry, place policy.Alloc, keeps bool, find func() policy.Alloc) []*Entry {
	needed := released
	for i := len(released) - 1; i >= 0 && len(needed) > 1; i-- {
		victim, mark := released[i], v.FreePool.UndoMark()
		pool.OverdrawHeld(v.FreePool, victim.Job) // sick devices may overdraw its node
		if !keeps || haveCommonNode(place, victim.On) {
			other := find()
			if other == nil {
				v.FreePool.Rewind(mark)
				continue
			}
			place = other
		}
		needed = slices.Delete(needed, i, i+1)
	}
	return needed
}

// retake takes again what released victims hold, as far as it is left beside the
// devices, the last to be chosen first, and returns those that must stop.
func (v *victims) retake(released []*Entry, on policy.Alloc) []*Entry {
	var stopped []*Entry
	for _, victim := range slices.Backward(released) {
		switch {
		case !haveCommonNode(on, victim.On): // it stays even where sick devices overdraw its node
			pool.OverdrawHeld(v.FreePool, victim.Job)
		case pool.TakeHeldAgain(v.FreePool, victim.Job) != nil:
			stopped = append(stopped, victim)
		}
	}
	return stopped
}

// dropStopped drops victims that were stopped from the front of the list.
func (v *victims) dropStopped() {
	for len(v.candidates) > 0 && v.candidates[0].verdict.verb == policy.Stop {
		v.candidates = v.candidates[1:]
	}
}

// haveCommonNode reports whether both have a node in common.
func haveCommonNode(a, b policy.Alloc) bool {
	return slices.ContainsFunc(a, func(s policy.Slot) bool { return b.CountOn(s.Node) > 0 })
}

// preempts reports whether running jobs are ever stopped for others.
func (p *Pipeline) preempts() bool { return p.Preempt != nil || p.usesLeases() }

// tier is the Preempter's, or that of the leases: granted before not granted.
func (p *Pipeline) tier(r *Round, e *Entry) int {
	switch {
	case r.isLent(e.Job):
		return lentTier
	case !p.preempts():
		return 0
	case !p.usesLeases():
		return p.Preempt.Tier(r, e)
	case e.Grant.HasLease || e.verdict.isOverdue:
		return 0
	}
	return 1
}
