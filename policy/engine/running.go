package engine

import (
	"cmp"
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// releaseMovingJobs gives back the devices of running jobs that their lease stops or sends
// elsewhere, so that jobs may change places.
func (w *walk) releaseMovingJobs() {
	for _, e := range w.entryLine {
		stops := e.Grant.StopReason != "" && e.HoldsGPUs() && !e.IsUnstoppable
		if !stops && !e.mayMove() {
			continue
		}
		pool.GiveBackHeld(w.FreePool, e.Job)
		w.setPlannedAlloc(e, nil)
		if stops {
			e.setVerdict(policy.Stop, "leaves "+e.On.String()+": "+e.Grant.StopReason)
		}
	}
}

// mayMove reports whether the job runs, its lease is on other devices, another GPU
// type or with other cores and memory, and it may be stopped to go there.
func (e *Entry) mayMove() bool {
	switch {
	case !e.HoldsGPUs() || !e.Grant.HasLease || e.IsUnstoppable:
		return false
	case len(e.WantedAlloc) > 0:
		return !e.On.Equal(e.WantedAlloc) || e.wantsOtherAmounts()
	}
	leased := e.leasedType()
	return leased != "" && e.On.FirstType() != leased
}

// move places a job that goes elsewhere: beside another, where its lease is, else where it was.
func (w *walk) move(e *Entry) {
	if e.BesideJob != 0 && w.tryPack(e) || e.BesideJob == 0 && w.moveAlone(e) {
		return
	}
	missing := fmt.Sprintf("there is no place on %s, where its lease is; it has run %s", cmp.Or(e.WantedAlloc.String(), e.Grant.GPUType), policy.FormatDuration(e.Ran(w.Now)))
	if pool.TakeHeld(w.FreePool, e.Job) == nil {
		w.setPlannedAlloc(e, e.On)
		e.setVerdict(policy.Keep, fmt.Sprintf("keeps %v: %s", e.On, missing))
		return
	}
	e.setVerdict(policy.Stop, fmt.Sprintf("leaves %v to others, and %s", e.On, missing))
}

// moveAlone moves a job to devices of its own. It reports whether it could.
func (w *walk) moveAlone(e *Entry) bool {
	on, err := w.finder.findAndTake(e)
	if err != nil {
		return w.tryDisplace(e)
	}
	w.startOrMove(e, on, "its lease is there")
	return true
}

// shrinkRunningJobs resizes the elastic running jobs that should run on fewer devices,
// before any job is placed.
func (w *walk) shrinkRunningJobs() {
	for _, e := range w.entryLine {
		if e.WantedDeviceCount < e.On.Count() && !e.mayMove() {
			w.tryResize(e)
		}
	}
}

// keepOrGrow lets a running job keep its very devices, or grow where there is room
// when its turn comes.
func (w *walk) keepOrGrow(e *Entry) {
	if e.WantedDeviceCount > e.On.Count() && w.tryResize(e) {
		return
	}
	e.setVerdict(policy.Keep, w.reasonUnlessOmitted(func() string {
		return fmt.Sprintf("keeps %s; it has run %s", cmp.Or(e.On.String(), "its devices, which are not known"), policy.FormatDuration(e.Ran(w.Now)))
	}))
}

// tryResize lets an elastic running job run on WantedDeviceCount, on its own nodes if
// they have room. It reports whether it does.
func (w *walk) tryResize(e *Entry) bool {
	if e.WantedDeviceCount == 0 || !e.IsElastic() || !w.isStoppable(w.pipeline.Rules, e) {
		return false
	}
	mark := w.FreePool.UndoMark()
	pool.GiveBackHeld(w.FreePool, e.Job)
	on, err := w.finder.findOwnNodesFirst(e)
	if err != nil || w.finder.takeFreedDevices(e, on) != nil {
		w.FreePool.Rewind(mark)
		return false
	}
	w.setPlannedAlloc(e, on)
	e.setVerdict(policy.Resize, w.reasonUnlessOmitted(func() string {
		return fmt.Sprintf("runs on %s instead of %d (%v)", policy.FormatCount(e.WantedDeviceCount, "GPU"), e.On.Count(), on)
	}))
	return true
}
