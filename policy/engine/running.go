package engine

import (
	"cmp"
	"fmt"

	"fairbridge/policy"
)

// releaseMoving gives back the devices of running jobs that their lease stops or sends
// elsewhere, so that jobs may change places.
func (w *walk) releaseMoving() {
	for _, e := range w.line {
		stops := e.Grant.StopReason != "" && e.HoldsGPUs() && !e.Unstoppable
		if !stops && !e.moves() {
			continue
		}
		w.Free.Give(e.On, e.Ask.CPUs, e.Ask.MemMB)
		w.setPlanned(e, nil)
		if stops {
			e.decide(policy.Stop, "leaves "+e.On.String()+": "+e.Grant.StopReason)
		}
	}
}

// moves reports whether the job runs, its lease is on other devices or another GPU
// type, and it may be stopped to go there.
func (e *Entry) moves() bool {
	switch {
	case !e.HoldsGPUs() || !e.Grant.Run || e.Unstoppable:
		return false
	case len(e.Where) > 0:
		return !e.On.Equal(e.Where)
	}
	return e.Grant.Type != "" && e.Ask.GPUs.Type == "" && e.On.FirstType() != e.Grant.Type
}

// move places a job that goes elsewhere: where its lease is, else where it was.
func (w *walk) move(e *Entry) {
	if on, err := w.finder.findAndTake(e); err == nil {
		w.startOrMove(e, on, "its lease is there")
		return
	}
	if w.displace(e) {
		return
	}
	missing := fmt.Sprintf("there is no place on %s, where its lease is; it has run %v", cmp.Or(e.Where.String(), e.Grant.Type), e.Ran(w.Now).Round(1e9))
	if w.Free.Take(e.On, e.Ask.CPUs, e.Ask.MemMB) == nil {
		w.setPlanned(e, e.On)
		e.decide(policy.Keep, fmt.Sprintf("keeps %v: %s", e.On, missing))
		return
	}
	e.decide(policy.Stop, fmt.Sprintf("leaves %v to others, and %s", e.On, missing))
}

// shrink resizes the elastic running jobs that should run on fewer devices,
// before any job is placed.
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
	e.decide(policy.Keep, w.reason(func() string { return fmt.Sprintf("keeps %v; it has run %v", e.On, e.Ran(w.Now).Round(1e9)) }))
}

// resize lets an elastic running job run on Want devices, on its own nodes if
// they have room. It reports whether it does.
func (w *walk) resize(e *Entry) bool {
	if e.Want == 0 || !e.Elastic() || !w.stoppable(w.pipeline.Rules, e) {
		return false
	}
	mark := w.Free.Mark()
	w.Free.Give(e.On, e.Ask.CPUs, e.Ask.MemMB)
	on, err := w.finder.findNear(e)
	if err != nil || w.finder.takeFreed(e, on) != nil {
		w.Free.Rewind(mark)
		return false
	}
	w.setPlanned(e, on)
	e.decide(policy.Resize, w.reason(func() string {
		return fmt.Sprintf("runs on %d instead of %d GPUs (%v)", e.Want, e.On.Count(), on)
	}))
	return true
}
