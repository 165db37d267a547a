package exact

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

// decideAndCarryOut asks the policy and carries its plan out.
func (e *engine) decideAndCarryOut() error {
	s := &e.snapshot
	s.Seq++
	s.Now, s.ClockSeconds = CalendarTimeAt(e.now), e.now
	s.History, s.PredictionTrust = e.finishedJobs.sortedByService, e.predictionTrust(CalendarTimeAt(e.now))
	e.nodeWindows.updateDownNodes(e.now)
	for i, j := range e.presentJobs {
		j.updatePolicyJob(&s.Jobs[i])
		e.predictTimeLeft(j, &s.Jobs[i])
	}
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
	e.measuredRun.PolicyName = plan.Policy
	e.timeline.recordSample(e.now, e.usedGPUs, e.runningJobs, len(e.presentJobs)-len(e.runningJobs), len(e.snapshot.Accounts))
	return nil
}

// carryOutPlan stops first and starts then, so that what is freed can be given.
func (e *engine) carryOutPlan(plan *policy.Plan) error {
	if len(plan.Decisions) != len(e.presentJobs) {
		return fmt.Errorf("%d decisions for %d jobs", len(plan.Decisions), len(e.presentJobs))
	}
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], e.presentJobs[i]
		if int64(d.Job) != j.ID {
			return fmt.Errorf("decision %d is about job %d, want job %d: plans list every job once, by id", i+1, d.Job, j.ID)
		}
		if err := e.stopJob(j, &e.snapshot.Jobs[i], d.Verb); err != nil {
			return err
		}
	}
	e.runningJobs = e.runningJobs[:0]
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], e.presentJobs[i]
		if err := e.placeJob(j, &e.snapshot.Jobs[i], d); err != nil {
			return err
		}
		if j.heldAlloc != nil {
			e.runningJobs = append(e.runningJobs, j)
		}
	}
	if e.hasShareableJobs {
		for _, j := range e.runningJobs {
			e.updateSpeed(j)
		}
	}
	return nil
}

// stopJob takes its devices from a job that is to leave them.
func (e *engine) stopJob(j *job, v *policy.Job, verb policy.Verb) error {
	switch verb {
	case policy.Stop, policy.Move, policy.Resize:
		if j.heldAlloc == nil || j.IsUnstoppable {
			return fmt.Errorf("job %d: %s, but it does not run or is fixed", j.ID, verb)
		}
		e.releaseDevices(j)
		j.outcome.StopCount++
		v.StopCount++
	}
	if verb == policy.Stop {
		v.State, v.On, v.LastStop, v.Start = policy.Pending, nil, e.snapshot.Now, time.Time{}
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
		return nil
	case policy.Start:
		if j.heldAlloc != nil || d.On.Count() == 0 {
			return fmt.Errorf("job %d: started on %v, but it runs or that is nowhere", j.ID, d.On)
		}
		e.recordStart(j, v)
	case policy.Move, policy.Resize:
		j.hasJustStarted = false
		j.restartSecondsLeft = e.restartCost(j)
	default:
		return nil
	}
	if err := e.nodeWindows.checkRunFits(&e.snapshot, v, d.On); err != nil {
		return err
	}
	if err := e.allocateDevices(j, d.On); err != nil {
		return err
	}
	v.State, v.On, v.Start = policy.Running, d.On, e.snapshot.Now
	if j.unitsPerSecond = e.speeds.speedOf(j, &e.cluster); j.unitsPerSecond <= 0 {
		return fmt.Errorf("job %d: put on %v, where it cannot run", j.ID, d.On)
	}
	j.updateExpectedEnd(e.now)
	return nil
}

// recordStart notes the start of a job that did not run.
func (e *engine) recordStart(j *job, v *policy.Job) {
	j.hasJustStarted, j.settledAt = true, e.now
	if v.FirstStart.IsZero() {
		v.FirstStart, j.outcome.Start, j.restartSecondsLeft = e.snapshot.Now, e.now, 0
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
