package policy

import (
	"fmt"
	"slices"
)

// findVictims lists the running jobs that may be stopped, the last of the line
// first.
func (w *walk) findVictims() {
	if !w.preempts() {
		return
	}
	for _, e := range slices.Backward(w.line) {
		if e.Active() && e.Grant.Leave == "" && !w.elsewhere(e) && w.rules.leaves(e.Job, w.Now) && w.mayStop(e) {
			e.verdict.tier = w.tierOf(e)
			w.victims = append(w.victims, e)
		}
	}
}

// displace starts the job in the place of running jobs of a larger tier, the
// last of the line first. It reports whether it could.
func (w *walk) displace(e *Entry) bool {
	if !w.preempts() || e.Unplaced != "" || w.tries.victims >= w.rules.Tries {
		return false
	}
	e.verdict.tier = w.tierOf(e)
	if w.hopeless(e) {
		return false
	}
	victims, mark := w.candidates(e), w.Free.Mark()
	if len(victims) == 0 {
		w.barren = &e.verdict.tier
		return false
	}
	if w.evict(e, victims) {
		return true
	}
	w.Free.Rewind(mark)
	return false
}

// hopeless reports whether a search that failed tells that this one will too.
// What stopping can free only shrinks from job to job.
func (w *walk) hopeless(e *Entry) bool {
	if w.barren != nil && e.verdict.tier >= *w.barren {
		return true
	}
	least, failed := w.tier[e.key()]
	return failed && e.verdict.tier >= least
}

// candidates returns the victims for the job, the last of the line first.
func (w *walk) candidates(e *Entry) []*Entry {
	var c []*Entry
	for _, v := range w.victims {
		if stays := v.verdict.verb == "" || v.verdict.verb == Keep; stays && v.verdict.tier > e.verdict.tier {
			c = append(c, v)
		}
	}
	return c
}

// evict stops as few of the victims as it takes, and starts the job. On false
// the pool is left for the caller to rewind.
func (w *walk) evict(e *Entry, victims []*Entry) bool {
	n := w.enough(e, victims)
	if n == 0 {
		w.tries.victims++
		w.tier[e.key()] = e.verdict.tier
		return false
	}
	full := w.full
	w.full = memo{} // a victim may leave more than is needed
	on, err := w.place(e)
	if err == nil {
		err = w.judged(e, on)
	}
	if err != nil || w.take(e, on) != nil {
		w.tries.victims++
		w.full = full
		return false
	}
	stopped := w.spare(victims[:n], on)
	w.begin(e, on, w.because(func() string { return yield(stopped) }))
	for _, v := range stopped {
		w.stop(v, e)
	}
	return true
}

// enough gives back what the first n victims hold, with n doubling until the
// gang fits, and returns n; 0 when all of them are not enough.
func (w *walk) enough(e *Entry, victims []*Entry) int {
	given, next := 0, 1
	for given < len(victims) {
		for ; given < min(next, len(victims)); given++ {
			v := victims[given]
			w.Free.Give(v.On, v.Ask.CPUs, v.Ask.MemMB)
		}
		if w.Free.fits(e.Partition, e.Gang()) {
			return given
		}
		next *= 2
	}
	return 0
}

// spare lets every victim stay that can, the first of the line first, and
// returns the others.
func (w *walk) spare(victims []*Entry, on Alloc) []*Entry {
	var stopped []*Entry
	for _, v := range slices.Backward(victims) {
		switch {
		case !on.touches(v.On): // it stays even where sick devices overdraw its node
			w.Free.change(v.On, -1, v.Ask.CPUs, v.Ask.MemMB)
		case w.Free.Take(v.On, v.Ask.CPUs, v.Ask.MemMB) != nil:
			stopped = append(stopped, v)
		}
	}
	return stopped
}

// touches reports whether both have a node in common.
func (a Alloc) touches(b Alloc) bool {
	return slices.ContainsFunc(a, func(s Slot) bool { return b.on(s.Node) > 0 })
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
	w.gets(v, nil)
	v.verdict.given = winner.ID
	if w.p.Lease != nil {
		v.decide(Stop, w.because(func() string {
			return fmt.Sprintf("gives way on %v to job %d of account %s, which has the lease of this round; it has run %v",
				v.On, winner.ID, winner.Account, v.Ran(w.Now).Round(1e9))
		}))
		return
	}
	v.decide(Stop, w.because(func() string {
		return fmt.Sprintf("gives way on %v to job %d of account %s, of tier %d before its own %d; it has run %v",
			v.On, winner.ID, winner.Account, winner.verdict.tier, v.verdict.tier, v.Ran(w.Now).Round(1e9))
	}))
}
