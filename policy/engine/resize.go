package engine

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// shrink resizes the elastic running jobs that should run on fewer devices,
// before anybody is placed.
func (w *walk) shrink() {
	for _, e := range w.line {
		if e.Want < e.On.Count() {
			w.resize(e)
		}
	}
}

// keep lets a running job keep its very devices, or grow where there is room
// when its turn comes.
func (w *walk) keep(e *Entry) {
	if e.Want > e.On.Count() && w.resize(e) {
		return
	}
	e.decide(policy.Keep, w.because(func() string { return fmt.Sprintf("keeps %v; it has run %v", e.On, e.Ran(w.Now).Round(1e9)) }))
}

// resize lets an elastic running job run on Want devices, on its own nodes if
// they have room. It reports whether it does.
func (w *walk) resize(e *Entry) bool {
	if e.Want == 0 || !e.Elastic() || !w.leaves(w.rules, e) {
		return false
	}
	mark := w.Free.Mark()
	w.Free.Give(e.On, e.Ask.CPUs, e.Ask.MemMB)
	on, err := w.near(e)
	if err == nil {
		err = w.judged(e, on)
	}
	if err != nil || w.take(e, on) != nil {
		w.Free.Rewind(mark)
		return false
	}
	w.given++
	w.setPlanned(e, on)
	e.decide(policy.Resize, w.because(func() string {
		return fmt.Sprintf("runs on %d instead of %d GPUs (%v)", e.Want, e.On.Count(), on)
	}))
	return true
}

// near places a running job on its own nodes, else as the Placer likes.
func (w *walk) near(e *Entry) (policy.Alloc, error) {
	rooms := slices.DeleteFunc(w.Free.Rooms(e.Partition, e.Gang()), func(r pool.Room) bool { return e.On.CountOn(r.Node) == 0 })
	if e.Ask.GPUs.Type != "" {
		if on, err := pool.FitRooms(w.Free, e.Gang(), rooms); err == nil {
			return on, nil
		}
	}
	on, err, _ := w.find(e)
	return on, err
}
