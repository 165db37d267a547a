package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"fairbridge/policy"
	"fairbridge/policy/pool"
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

// waitingQueue counts the jobs that wait, for the reasons given to those behind them.
type waitingQueue struct {
	omitsReasons          bool // only count them
	waitingCount          int
	waitingCountByAccount map[string]int // how many of them, by account
	largestAccount        string         // the account with most
}

// add counts one more job that waits.
func (q *waitingQueue) add(e *Entry) {
	if q.waitingCount++; q.omitsReasons {
		return
	}
	q.waitingCountByAccount[e.Account]++
	if n, most := q.waitingCountByAccount[e.Account], q.waitingCountByAccount[q.largestAccount]; n > most {
		q.largestAccount = e.Account
	}
}

// describeAhead says which jobs are before the next one in the queue.
func (q *waitingQueue) describeAhead() string {
	switch q.waitingCount {
	case 0:
		return "no job waits ahead"
	case 1:
		return "1 job of account " + q.largestAccount + " waits ahead"
	}
	ofLargest := strconv.Itoa(q.waitingCountByAccount[q.largestAccount])
	return strconv.Itoa(q.waitingCount) + " jobs wait ahead, " + ofLargest + " of them of account " + q.largestAccount
}

// nextOrdinal prints the place of the next job in the queue: 1st, 2nd, 3rd, 4th, …
func (q *waitingQueue) nextOrdinal() string {
	n, suffix := q.waitingCount+1, "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
