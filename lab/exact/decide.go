package exact

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// decideAndCarryOut asks the policy and carries its plan out.
func (e *engine) decideAndCarryOut() error {
	s := &e.snapshot
	s.Seq++
	s.Now, s.ClockSeconds = workload.CalendarTimeAt(e.now), e.now
	s.History = e.finishedJobs.sortedByService
	e.nodeWindows.updateDownNodes(e.now)
	if e.InferenceServices != nil {
		s.InferenceServices = e.InferenceServices.ServicesAt(e.now)
	}
	for i, j := range e.presentJobs {
		j.updatePolicyJob(&s.Jobs[i])
	}
	e.setForecast(s.Now)
	e.usage.updateTo(e.now)
	started := time.Now()
	plan, err := e.Policy.Decide(s)
	if err != nil {
		return fmt.Errorf("decision %d, at %.0f s: %w", s.Seq, e.now, err)
	}
	e.measuredRun.DecideSeconds = append(e.measuredRun.DecideSeconds, time.Since(started).Seconds())
	if e.WatchDecision != nil {
		e.WatchDecision(s, plan)
	}
	if err := e.carryOutPlan(plan); err != nil {
		return fmt.Errorf("decision %d, at %.0f s: carrying out the plan: %w", s.Seq, e.now, err)
	}
	s.Memo = plan.Memo
	s.Scratch.Recycle(plan)
	e.measuredRun.PolicyName = plan.Policy
	if e.KeepsNodeShapes { // else GPUs are alike wherever they are
		e.freeMeter.Look(e.now, func() *policy.Snapshot { return s })
	}
	e.timeline.recordSample(e.now, e.usedGPUs, e.runningJobs, len(e.presentJobs)-len(e.runningJobs), len(e.snapshot.Accounts))
	return nil
}

// carryOutPlan stops first and starts then, so that what is freed can be given.
func (e *engine) carryOutPlan(plan *policy.Plan) error {
	if len(plan.Decisions) != len(e.presentJobs) {
		return fmt.Errorf("%d decisions for %d jobs", len(plan.Decisions), len(e.presentJobs))
	}
	passes := []bool{false} // those beside others when the others have their devices
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], e.presentJobs[i]
		if d.Beside != 0 {
			passes = []bool{false, true}
		}
		if int64(d.Job) != j.ID {
			return fmt.Errorf("decision %d is about job %d, want job %d: plans list every job once, by id", i+1, d.Job, j.ID)
		}
		if err := e.stopJob(j, &e.snapshot.Jobs[i], d); err != nil {
			return err
		}
	}
	for _, beside := range passes {
		for i := range plan.Decisions {
			if d := &plan.Decisions[i]; (d.Beside != 0) == beside {
				if err := e.placeJob(e.presentJobs[i], &e.snapshot.Jobs[i], d); err != nil {
					return err
				}
			}
		}
	}
	e.runningJobs = e.runningJobs[:0]
	for _, j := range e.presentJobs {
		if j.heldAlloc != nil {
			e.runningJobs = append(e.runningJobs, j)
		}
	}
	if e.haveNeighbours() {
		for _, j := range e.runningJobs {
			e.updateSpeed(j)
		}
	}
	return nil
}

// stopJob takes its devices from a job that is to leave them.
func (e *engine) stopJob(j *job, v *policy.Job, d *policy.Decision) error {
	switch d.Verb {
	case policy.Stop, policy.Move, policy.Resize:
		if j.heldAlloc == nil || j.IsUnstoppable {
			return fmt.Errorf("job %d: %s, but it does not run or is fixed", j.ID, d.Verb)
		}
		e.releaseDevices(j)
		if !e.isFreeMove(v, d) {
			j.outcome.StopCount++
			v.StopCount++
		}
	}
	if d.Verb == policy.Stop {
		v.State, v.On, v.Given, v.LastStop, v.Start = policy.Pending, nil, policy.Amounts{}, e.snapshot.Now, time.Time{}
	}
	return nil
}

// placeJob gives a job the devices it is to have.
func (e *engine) placeJob(j *job, v *policy.Job, d *policy.Decision) error {
	switch d.Verb {
	case policy.Keep:
		if j.heldAlloc == nil {
			return fmt.Errorf("job %d: kept, but it does not run", j.ID)
		}
		j.hasJustStarted = false
		e.setBatchShares(j, d)
		return e.endEarly(j, d)
	case policy.Start:
		if j.heldAlloc != nil || d.On.Count() == 0 {
			return fmt.Errorf("job %d: started on %v, but it runs or that is nowhere", j.ID, d.On)
		}
		e.recordStart(j, v)
	case policy.Move, policy.Resize:
		if j.hasJustStarted = false; !e.isFreeMove(v, d) {
			j.restartSecondsLeft, v.Start = e.restartCost(j), e.snapshot.Now
		}
	default:
		return nil
	}
	if err := e.nodeWindows.checkRunFits(&e.snapshot, v, d.On); err != nil {
		return err
	}
	on := d.On
	if d.Beside != 0 {
		on = nil
		if beside := e.presentJob(d.Beside); beside != nil {
			on = beside.heldAlloc
		}
		if !on.Equal(d.On) {
			return fmt.Errorf("job %d: put on %v beside job %d, which is on %v", j.ID, d.On, d.Beside, on)
		}
	}
	if err := e.allocateDevices(j, on); err != nil {
		return err
	}
	v.State, v.On, v.Given, j.given = policy.Running, j.heldAlloc, d.Given, d.Given
	j.batchShares = d.BatchShares
	if j.unitsPerSecond = e.speeds.speedOf(j, &e.cluster); j.unitsPerSecond <= 0 {
		return fmt.Errorf("job %d: put on %v, where it cannot run", j.ID, d.On)
	}
	j.updateExpectedEnd(e.now)
	return nil
}

// endEarly lets a job end at once that has reached what its owner declared as enough.
func (e *engine) endEarly(j *job, d *policy.Decision) error {
	switch {
	case !d.EndsEarly:
		return nil
	case j.EarlyEnd == nil:
		return fmt.Errorf("job %d: is to end early, and its owner did not declare what is enough", j.ID)
	}
	j.totalUnits, j.restartSecondsLeft = j.doneUnits, 0
	j.updateExpectedEnd(e.now)
	return nil
}

// setBatchShares lets the devices of a running job do what is recommended now.
func (e *engine) setBatchShares(j *job, d *policy.Decision) {
	if !slices.Equal(j.batchShares, d.BatchShares) {
		j.batchShares = d.BatchShares
		e.updateSpeed(j)
	}
}

// isFreeMove reports whether a job goes to other nodes without a restart; see Clock.FreeMoves. It is
// asked before the job's new place is put down.
func (e *engine) isFreeMove(v *policy.Job, d *policy.Decision) bool {
	return e.Clock.FreeMoves && d.Verb == policy.Move && v.On.FirstType() == d.On.FirstType() && slices.Equal(countsOnNodes(v.On), countsOnNodes(d.On))
}

// countsOnNodes is how many devices are on each node, ascending.
func countsOnNodes(on policy.Alloc) []int {
	var counts []int
	for _, s := range on {
		counts = append(counts, s.Count)
	}
	slices.Sort(counts)
	return counts
}

// recordStart notes the start of a job that did not run.
func (e *engine) recordStart(j *job, v *policy.Job) {
	v.Start = e.snapshot.Now
	j.hasJustStarted, j.settledAt = true, e.now
	if v.FirstStart.IsZero() {
		v.FirstStart, j.outcome.Start, j.restartSecondsLeft = e.snapshot.Now, e.now, 0
		if e.Clock.LockstepInterval > 0 {
			j.restartSecondsLeft = e.startCost(j) // the first start is one
		}
		return
	}
	j.restartSecondsLeft = e.restartCost(j)
}

// restartCost is the time a job that ran before must run before it goes on.
func (e *engine) restartCost(j *job) float64 {
	if e.Clock.RoundLength > 0 {
		return 0 // a round reckons by itself
	}
	return e.startCost(j)
}

// updateSpeed looks again how fast a job goes, as its neighbours may have changed.
func (e *engine) updateSpeed(j *job) {
	was := j.unitsPerSecond
	if j.unitsPerSecond = e.speeds.speedOf(j, &e.cluster); j.unitsPerSecond != was {
		j.updateExpectedEnd(e.now)
	}
}

// presentJob is the job with the id; nil: there is none.
func (e *engine) presentJob(id policy.JobID) *job {
	i, found := slices.BinarySearchFunc(e.presentJobs, int64(id), func(j *job, id int64) int { return cmp.Compare(j.ID, id) })
	if !found {
		return nil
	}
	return e.presentJobs[i]
}

// nodeWindows are nodes of which some are set aside for a time.
type nodeWindows struct {
	nodes      []policy.Node
	hasWindows bool
}

// newNodeWindows takes the nodes of a workload: a copy where they are to change as
// time goes on.
func newNodeWindows(nodes []policy.Node) nodeWindows {
	w := nodeWindows{nodes: nodes, hasWindows: slices.ContainsFunc(nodes, func(n policy.Node) bool { return len(n.Windows) > 0 })}
	if w.hasWindows {
		w.nodes = slices.Clone(nodes)
	}
	return w
}

// updateDownNodes shows which nodes are set aside now.
func (w *nodeWindows) updateDownNodes(now float64) {
	if !w.hasWindows {
		return
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; len(n.Windows) > 0 {
			n.UpdateDownReason(workload.CalendarTimeAt(now))
		}
	}
}

// nextReturn is when the next node comes back; +Inf: none will.
func (w *nodeWindows) nextReturn(now float64) float64 {
	next := math.Inf(1)
	if !w.hasWindows {
		return next
	}
	for i := range w.nodes {
		for _, x := range w.nodes[i].Windows {
			if t := x.To.Sub(workload.Start).Seconds(); !x.To.IsZero() && t > now {
				next = min(next, t)
			}
		}
	}
	return next
}

// checkRunFits refuses a run that would reach into a time in which a node is set aside.
func (w *nodeWindows) checkRunFits(s *policy.Snapshot, v *policy.Job, on policy.Alloc) error {
	if !w.hasWindows {
		return nil
	}
	for _, name := range on.Nodes() {
		n := s.Node(name)
		if n == nil {
			continue
		}
		if x, _, _ := n.WindowDuring(s.Now, v.Limit); x != nil {
			return fmt.Errorf("job %d: put on %s with a limit of %v, which %v takes at %v", v.ID, name, v.Limit, x, x.From)
		}
	}
	return nil
}
