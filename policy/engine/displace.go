package engine

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
)

// findVictims lists the running jobs that may be stopped: those of the largest
// tier first, within a tier the last of the line first.
func (w *walk) findVictims() {
	if !w.preempts() {
		return
	}
	for _, e := range slices.Backward(w.line) {
		if e.Active() && e.Grant.Leave == "" && !e.Grant.Keep && !w.elsewhere(e) && w.leaves(w.rules, e) && w.mayStop(e) {
			e.verdict.tier = w.tierOf(e)
			w.victims = append(w.victims, e)
		}
	}
	slices.SortStableFunc(w.victims, func(a, b *Entry) int { return cmp.Compare(b.verdict.tier, a.verdict.tier) })
}

// displace starts the job in the place of running jobs of a larger tier, in the
// order of findVictims. It reports whether it could.
func (w *walk) displace(e *Entry) bool {
	if !w.preempts() || e.Unplaced != "" || w.tries.victims >= w.rules.Tries {
		return false
	}
	e.verdict.tier = w.tierOf(e)
	if w.hopeless(e) {
		return false
	}
	mark := w.Free.Mark()
	victims, fits := w.enough(e)
	if len(victims) == 0 {
		w.barren = &e.verdict.tier
		return false
	}
	if !fits {
		k := w.kind(e)
		k.failed, k.tier = true, e.verdict.tier
	} else if w.evict(e, victims) {
		return true
	}
	w.tries.victims++
	w.Free.Rewind(mark)
	return false
}

// hopeless reports whether a search that failed tells that this one will too.
// What stopping can free only shrinks from job to job.
func (w *walk) hopeless(e *Entry) bool {
	if w.barren != nil && e.verdict.tier >= *w.barren {
		return true
	}
	k := w.kind(e)
	return k.failed && e.verdict.tier >= k.tier
}

// mayYield reports whether the victim, if it still runs on, may be stopped for
// the job.
func (v *Entry) mayYield(e *Entry) bool {
	return (v.verdict.verb == "" || v.verdict.verb == policy.Keep) && v.verdict.tier > e.verdict.tier
}

// enough gives back what the first n victims for the job hold, with n doubling
// until its gang fits, and returns them; all of them where it does not fit. They
// are valid until the next call.
func (w *walk) enough(e *Entry) (victims []*Entry, fits bool) {
	victims = w.leaving[:0]
	gang, next := e.Gang(), 1
	for _, v := range w.victims {
		if !v.mayYield(e) {
			continue
		}
		w.Free.Give(v.On, v.Ask.CPUs, v.Ask.MemMB)
		victims = append(victims, v)
		if len(victims) < next {
			continue
		}
		if fits = w.Free.Fits(e.Partition, gang); fits {
			break
		}
		next *= 2
	}
	w.leaving = victims
	return victims, fits || len(victims) > 0 && w.Free.Fits(e.Partition, gang)
}

// evict starts the job where the victims were, and stops as few of them as that
// takes. On false the pool is left for the caller to rewind.
func (w *walk) evict(e *Entry, victims []*Entry) bool {
	on, err, _ := w.find(e) // a victim may leave more than is needed
	if err == nil {
		err = w.judged(e, on)
	}
	if err != nil || w.take(e, on) != nil {
		return false
	}
	w.given++
	stopped := w.spare(victims, on)
	w.begin(e, on, w.because(func() string { return yield(stopped) }))
	for _, v := range stopped {
		w.stop(v, e)
	}
	for len(w.victims) > 0 && w.victims[0].verdict.verb == policy.Stop {
		w.victims = w.victims[1:]
	}
	return true
}

// spare lets every victim stay that can, the last to be chosen first, and
// returns the others.
func (w *walk) spare(victims []*Entry, on policy.Alloc) []*Entry {
	var stopped []*Entry
	for _, v := range slices.Backward(victims) {
		switch {
		case !touch(on, v.On): // it stays even where sick devices overdraw its node
			w.Free.Overdraw(v.On, v.Ask.CPUs, v.Ask.MemMB)
		case w.Free.Take(v.On, v.Ask.CPUs, v.Ask.MemMB) != nil:
			stopped = append(stopped, v)
		}
	}
	return stopped
}

// touch reports whether both have a node in common.
func touch(a, b policy.Alloc) bool {
	return slices.ContainsFunc(a, func(s policy.Slot) bool { return b.CountOn(s.Node) > 0 })
}

// yield names those that give way.
func yield(stopped []*Entry) string {
	if len(stopped) == 1 {
		return fmt.Sprintf("job %d gives way", stopped[0].ID)
	}
	return fmt.Sprintf("%d running jobs give way", len(stopped))
}

// stop lets a running job give way to another.
func (w *walk) stop(v, winner *Entry) {
	w.setPlanned(v, nil)
	v.verdict.given = winner.ID
	if w.p.leases() {
		v.decide(policy.Stop, w.because(func() string {
			return fmt.Sprintf("gives way on %v to job %d of account %s, which has the lease of this round; it has run %v",
				v.On, winner.ID, winner.Account, v.Ran(w.Now).Round(1e9))
		}))
		return
	}
	v.decide(policy.Stop, w.because(func() string {
		return fmt.Sprintf("gives way on %v to job %d of account %s, of tier %d before its own %d; it has run %v",
			v.On, winner.ID, winner.Account, winner.verdict.tier, v.verdict.tier, v.Ran(w.Now).Round(1e9))
	}))
}
