package engine

import (
	"fmt"
	"slices"

	"fairbridge/policy"
)

// walk goes through the line of one round, once, and gives every entry its
// verdict.
type walk struct {
	*Round
	pipeline  *Pipeline
	entryLine []*Entry
	queue     waitingQueue
	guards    turnGuards
	victims   *victims
	finder    deviceFinder
}

func newWalk(p *Pipeline, r *Round, line []*Entry) *walk {
	w := &walk{Round: r, pipeline: p, entryLine: moveLentLast(r, r.moveOverdueFirst(p.Rules, line)), queue: waitingQueue{omitsReasons: r.OmitReasons, waitingCountByAccount: map[string]int{}}}
	w.guards = turnGuards{Round: r, pipeline: p, sizes: sizeTurns{Round: r, rules: p.Rules, makesLeft: mostSizeTurns}}
	w.finder = deviceFinder{Round: r, placer: p.Place, guards: &w.guards, entryLine: w.entryLine, giveBackCount: 1, retriesLeft: p.Rules.MaxFruitlessSearches}
	w.victims = newVictims(p, r, w.entryLine)
	return w
}

func (w *walk) run() {
	for i, e := range w.entryLine {
		e.verdict.rank = i
	}
	w.releaseMovingJobs()
	w.shrinkRunningJobs()
	var passing []*Entry
	for _, e := range w.entryLine {
		switch {
		case e.verdict.verb != "": // stopped or resized already
		case e.mayMove():
			w.move(e)
		case e.HoldsGPUs():
			w.keepOrGrow(e)
		case w.pipeline.PassOrder != nil && !e.verdict.isOverdue && w.guards.areBefore(e):
			passing = append(passing, e)
		default:
			w.decidePending(e)
		}
	}
	w.letPass(passing)
}

// letPass decides on the jobs behind blocked ones in the PassOrder, among which they exchange their ranks.
func (w *walk) letPass(passing []*Entry) {
	ranks := make([]int, len(passing))
	for i, e := range passing {
		ranks[i] = e.verdict.rank
	}
	slices.SortStableFunc(passing, func(a, b *Entry) int { return w.pipeline.PassOrder(w.Round, a, b) })
	for i, e := range moveLentLast(w.Round, passing) {
		e.verdict.rank = ranks[i]
		w.decidePending(e)
	}
}

// decidePending decides on a job that does not run.
func (w *walk) decidePending(e *Entry) {
	switch {
	case e.RefusedBecause != nil:
		e.setVerdict(policy.Hold, "is held back: "+e.RefusedBecause.Error())
	case e.HeldReason != "":
		e.setVerdict(policy.Wait, "cannot start: "+e.HeldReason)
	case e.StuckReason != "":
		e.setVerdict(policy.Wait, "is not counted on to start: "+e.StuckReason)
	case e.EligibleAt.After(w.Now):
		e.setVerdict(policy.Wait, "may not start before "+e.EligibleAt.UTC().Format("2006-01-02 15:04:05 MST"))
	case e.WantedDeviceCount == 0:
		w.queueBehind(e, "gets no GPUs in this round")
	default:
		w.tryStart(e)
	}
}

// tryStart starts the job, or lets it wait and protects its turn.
func (w *walk) tryStart(e *Entry) {
	if err := w.CheckEverFits(e); err != nil {
		w.queueBehind(e, "can never start as it is: "+err.Error()+", even if nothing ran")
		return
	}
	if !w.askAdmitter(e) || w.waitForWindow(e) {
		return
	}
	if g := w.guards.strictGuard(e); g != nil {
		w.block(e, w.reasonUnlessOmitted(g.String))
		return
	}
	on, err := w.finder.findAndTake(e)
	if err == nil {
		w.start(e, on)
		return
	}
	if w.tryDisplace(e) || w.tryPack(e) || w.tryOwnSize(e) {
		return
	}
	why := w.reasonUnlessOmitted(func() string { return err.Error() + w.describeBlockingWindow(e) })
	w.block(e, why)
	w.guardTurn(e, why)
}

// askAdmitter asks the Admitter again, now that others were started.
func (w *walk) askAdmitter(e *Entry) bool {
	if w.pipeline.Admit == nil {
		return true
	}
	if e.RefusedBecause = w.pipeline.Admit.Admit(w.Round, e); e.RefusedBecause != nil {
		e.setVerdict(policy.Hold, "is held back: "+e.RefusedBecause.Error())
	}
	return e.RefusedBecause == nil
}

// waitForWindow lets a job wait for the end of a maintenance or reservation that its
// limit reaches into. In strict order it keeps no job from passing: GPUs that it
// may not have before would idle until then.
func (w *walk) waitForWindow(e *Entry) bool {
	err := w.WindowError(e)
	if err == nil {
		return false
	}
	why := w.reasonUnlessOmitted(err.Error)
	w.queueBehind(e, why)
	if w.pipeline.Backfill != nil {
		w.guardTurn(e, why)
	}
	return true
}

// describeBlockingWindow names the first window that keeps the job off a node; "" where there
// is none.
func (w *walk) describeBlockingWindow(e *Entry) string {
	a := e.GangAsk()
	if w.FreePool.CountWindowsReached(a.Limit) == 0 {
		return ""
	}
	if err := w.emptyPool().ExplainWindows(e.Partition, a); err != nil {
		return "; " + err.Error()
	}
	return ""
}

// guardTurn guards the turn of a blocked job.
func (w *walk) guardTurn(e *Entry, why string) {
	w.guards.add(e, why)
	if o, ok := w.pipeline.Backfill.(BlockedObserver); ok {
		o.ObserveBlocked(w.Round, e)
	}
}

// block keeps the job from starting. Where it has room, be it on another GPU type
// than that of its lease, waiting is not enough: Slurm would start it.
func (w *walk) block(e *Entry, why string) {
	if w.pipeline.LeavesBackfillToSlurm || !w.finder.hasRoom(e) {
		w.queueBehind(e, why)
		return
	}
	e.setVerdict(policy.Hold, w.reasonUnlessOmitted(func() string {
		return fmt.Sprintf("is held back as %s, although it has room: %s; %s", w.queue.nextOrdinal(), why, w.queue.describeAhead())
	}))
	w.queue.add(e)
}

// queueBehind queues the job behind those that wait already.
func (w *walk) queueBehind(e *Entry, why string) {
	e.setVerdict(policy.Wait, w.reasonUnlessOmitted(func() string {
		return "waits as " + w.queue.nextOrdinal() + ": " + why + "; " + w.queue.describeAhead()
	}))
	w.queue.add(e)
}
