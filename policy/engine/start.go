package engine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
)

// start starts the job on devices that were free.
func (w *walk) start(e *Entry, on policy.Alloc) {
	why := "they are free"
	if w.queue.waitingCount > 0 && !w.OmitReasons {
		why = fmt.Sprintf("they are free, and it delays no job that may not be delayed; %s", w.queue.describeAhead())
	}
	w.startOrMove(e, on, why)
}

// startOrMove starts the job on devices that were taken for it, or moves it there.
func (w *walk) startOrMove(e *Entry, on policy.Alloc, why string) {
	w.setPlannedAlloc(e, on)
	if was := e.On.Count(); e.HoldsGPUs() && on.Count() != was {
		e.setVerdict(policy.Resize, w.reasonUnlessOmitted(func() string {
			return fmt.Sprintf("runs on %s instead of %d (%v): %s", policy.FormatCount(on.Count(), "GPU"), was, on, why)
		}))
		return
	}
	if e.HoldsGPUs() && on.Equal(e.On) && !e.wantsOtherAmounts() {
		e.setVerdict(policy.Keep, w.reasonUnlessOmitted(func() string { return fmt.Sprintf("keeps %v: %s", e.On, why) }))
		return
	}
	if e.HoldsGPUs() && on.Equal(e.On) {
		e.setVerdict(policy.Move, w.reasonUnlessOmitted(func() string {
			return fmt.Sprintf("restarts on %v with %v instead of %v: %s", on, e.WantedAmounts, e.HeldAmounts(), why)
		}))
		return
	}
	if e.HoldsGPUs() {
		e.setVerdict(policy.Move, w.reasonUnlessOmitted(func() string { return fmt.Sprintf("moves from %v to %v: %s", e.On, on, why) }))
		return
	}
	w.finder.subtractDemand(e)
	e.setVerdict(policy.Start, w.reasonUnlessOmitted(func() string { return fmt.Sprintf("starts on %v: %s", on, why) }))
}

// tryPack starts the job beside running ones, if a Packer finds it a neighbour. One whose place Slurm chooses cannot be put
// beside any.
func (w *walk) tryPack(e *Entry) bool {
	if w.pipeline.Pack == nil || !e.Shareable || e.UnplaceableReason != "" {
		return false
	}
	place, err := w.pipeline.Pack.Pack(w.Round, e)
	on := place.On
	if err != nil || len(on) == 0 || w.guards.findObjection(e, on) != nil || isMoveToUnnamed(e, on) || mayBeSick(w.Snapshot, on) {
		return false
	}
	e.SharesWith = place.Beside
	a := e.GangAsk()
	w.FreePool.Overdraw(on, a.CPUs, a.MemMB) // as pool.New will find it
	w.startOrMove(e, on, "its owner and those of the jobs there accept a neighbour")
	return true
}

// isMoveToUnnamed reports whether a running job is to go beside another on as many devices of the same nodes as it holds,
// which nothing tells from its own.
func isMoveToUnnamed(e *Entry, on policy.Alloc) bool {
	return e.HoldsGPUs() && on.Equal(e.On) && slices.ContainsFunc(on, func(s policy.Slot) bool { return s.Devices == 0 })
}

// mayBeSick reports whether some of the devices are of a node and type of which one is not to be given out: which
// it is nothing tells, and the job beside may have it.
func mayBeSick(s *policy.Snapshot, on policy.Alloc) bool {
	return slices.ContainsFunc(on, func(slot policy.Slot) bool {
		n := s.Node(slot.Node)
		return n == nil || slices.ContainsFunc(n.GPUs, func(d policy.NodeDevices) bool { return d.Type == slot.Type && d.SickCount > 0 })
	})
}

// tryDisplace starts the job in the place of running jobs of a larger tier, and stops
// as few of them as that takes. It reports whether it could.
func (w *walk) tryDisplace(e *Entry) bool {
	if e.UnplaceableReason != "" || w.victims.searchesLeft <= 0 || !w.victims.haveSome() {
		return false
	}
	e.verdict.tier = w.pipeline.tier(w.Round, e)
	if w.victims.isHopelessFor(e) {
		return false
	}
	mark := w.FreePool.UndoMark()
	released, fits := w.victims.releaseFor(e)
	if fits && w.startOnReleased(e, released) {
		return true
	}
	if len(released) > 0 {
		w.victims.searchesLeft--
	}
	w.FreePool.Rewind(mark)
	return false
}

// startOnReleased starts the job on devices that victims gave back.
func (w *walk) startOnReleased(e *Entry, released []*Entry) bool {
	on, err := w.finder.find(e)
	if err == nil && len(released) > 1 {
		find := func() policy.Alloc { return w.finder.findLike(e, on) }
		released = w.victims.spareNeedless(released, on, w.finder.needsOnlyRoom(e), find)
		on, err = w.finder.find(e)
	}
	if err != nil || w.finder.takeFreedDevices(e, on) != nil {
		return false
	}
	stopped := w.victims.retake(released, on)
	w.startOrMove(e, on, w.reasonUnlessOmitted(func() string {
		if len(stopped) == 1 {
			return fmt.Sprintf("job %s gives way", stopped[0].Label())
		}
		return fmt.Sprintf("%d running jobs give way", len(stopped))
	}))
	for _, victim := range stopped {
		w.stopFor(victim, e)
	}
	w.victims.dropStopped()
	return true
}

// stopFor lets a running job give way to another.
func (w *walk) stopFor(victim, e *Entry) {
	w.setPlannedAlloc(victim, nil)
	victim.verdict.stoppedFor = e.ID
	victim.setVerdict(policy.Stop, w.reasonUnlessOmitted(func() string {
		if w.isLent(victim.Job) {
			return recallText(w.Round, victim, e)
		}
		title := fmt.Sprintf("of tier %d before its own %d", e.verdict.tier, victim.verdict.tier)
		if w.pipeline.usesLeases() {
			title = "which has the lease of this round"
		}
		return fmt.Sprintf("gives way on %v to job %s of account %s, %s; it has run %s",
			victim.On, e.Label(), e.Account, title, policy.FormatDuration(victim.Ran(w.Now)))
	}))
}

// verdict is what becomes of an entry.
type verdict struct {
	verb       policy.Verb
	rank       int           // in the line, from 0
	isOverdue  bool          // it waited longer than the Rules let it
	overdueBy  time.Duration // by how much
	stoppedFor policy.JobID  // see Decision.StoppedFor
	tier       int
	reason     string
}

func (e *Entry) setVerdict(v policy.Verb, why string) {
	e.verdict.verb, e.verdict.reason = v, why
}

// reasonUnlessOmitted gives the reason, unless the snapshot omits reasons.
func (r *Round) reasonUnlessOmitted(why func() string) string {
	if r.OmitReasons {
		return ""
	}
	return why()
}

// newPlan writes the verdicts down.
func (r *Round) newPlan(name string) *policy.Plan {
	plan := &policy.Plan{SnapshotSeq: r.Seq, Policy: name, Decisions: r.Scratch.NewDecisions(len(r.Entries))}
	for _, e := range r.Entries {
		plan.Decisions = append(plan.Decisions, policy.Decision{})
		r.setDecision(&plan.Decisions[len(plan.Decisions)-1], e)
	}
	if byJob := func(a, b policy.Decision) int { return cmp.Compare(a.Job, b.Job) }; !slices.IsSortedFunc(plan.Decisions, byJob) {
		slices.SortFunc(plan.Decisions, byJob)
	}
	return plan
}

// isRanked reports whether the job's rank has a part in its verdict: the job runs, or could
// be started now.
func (r *Round) isRanked(e *Entry) bool {
	return e.verdict.verb == policy.Start || r.MayRun(e)
}

func (r *Round) setDecision(d *policy.Decision, e *Entry) {
	v := &e.verdict
	*d = policy.Decision{
		Job: e.ID, Verb: v.verb, Rank: v.rank + 1, GPUs: cmp.Or(e.WantedDeviceCount, e.DeviceCount()),
		StoppedFor: v.stoppedFor, Why: v.reason,
	}
	switch v.verb {
	case policy.Keep:
		d.On, d.GPUs = e.On, e.DeviceCount()
	case policy.Stop:
		d.GPUs = e.DeviceCount()
	case policy.Start, policy.Resize, policy.Move:
		d.On, d.Beside = e.PlannedAlloc, e.SharesWith
		if ask := e.Ask.Resized(d.GPUs); ask.WithAmounts(e.WantedAmounts).Amounts() != ask.Amounts() {
			d.Given = e.WantedAmounts
		}
	}
	unplaced := v.verb == policy.Start && e.UnplaceableReason != ""
	if unplaced {
		d.On, d.Given = nil, policy.Amounts{} // the place found is a guess, only to count what is left
	}
	if r.OmitReasons {
		return
	}
	if unplaced {
		d.Why = fmt.Sprintf("starts where Slurm finds %v for it: %s", e.GangAsk().Describe(), e.UnplaceableReason)
	}
	if v.verb == policy.Wait && e.UnplaceableReason != "" {
		d.Why += "; its nodes are left to Slurm: " + e.UnplaceableReason
	}
	if v.isOverdue {
		d.Why += "; it waited longer than a job should, and goes before all that did not"
	}
	if e.Note != "" && r.isRanked(e) {
		d.Why += "; its rank: " + e.Note
	}
}
