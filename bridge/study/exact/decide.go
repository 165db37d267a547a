package exact

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

// decide asks the policy and carries its plan out.
func (e *engine) decide() error {
	s := &e.snap
	s.Seq++
	s.Now, s.Clock = at(e.now), e.now
	s.History = e.history.sorted
	e.windows.enter(e.now)
	for i, j := range e.here {
		j.refresh(&s.Jobs[i])
		if e.Predict != nil {
			s.Jobs[i].Left, s.Jobs[i].LeftSigma = e.Predict(&s.Jobs[i])
		}
	}
	e.usage.show(e.now)
	started := time.Now()
	plan, err := e.Policy.Decide(s)
	if err != nil {
		return fmt.Errorf("decision %d, at %.0f s: %w", s.Seq, e.now, err)
	}
	e.run.Decide = append(e.run.Decide, time.Since(started).Seconds())
	if e.Watch != nil {
		e.Watch(s, plan)
	}
	if err := e.carry(plan); err != nil {
		return fmt.Errorf("decision %d, at %.0f s: carrying out the plan: %w", s.Seq, e.now, err)
	}
	s.Memo = plan.Memo
	e.run.Policy = plan.Policy
	e.timeline.record(e.now, e.used, e.busy, len(e.here)-len(e.busy), len(e.snap.Accounts))
	return nil
}

// carry stops first and starts then, so that what is freed can be given.
func (e *engine) carry(plan *policy.Plan) error {
	if len(plan.Decisions) != len(e.here) {
		return fmt.Errorf("%d decisions for %d jobs", len(plan.Decisions), len(e.here))
	}
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], e.here[i]
		if int64(d.Job) != j.ID {
			return fmt.Errorf("decision %d is about job %d, want job %d: plans list every job once, by id", i+1, d.Job, j.ID)
		}
		if err := e.free(j, &e.snap.Jobs[i], d.Verb); err != nil {
			return err
		}
	}
	e.busy = e.busy[:0]
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], e.here[i]
		if err := e.occupy(j, &e.snap.Jobs[i], d); err != nil {
			return err
		}
		if j.on != nil {
			e.busy = append(e.busy, j)
		}
	}
	if e.shares {
		for _, j := range e.busy {
			e.repace(j)
		}
	}
	return nil
}

// free takes its devices from a job that is to leave them.
func (e *engine) free(j *job, v *policy.Job, verb policy.Verb) error {
	switch verb {
	case policy.Stop, policy.Move, policy.Resize:
		if j.on == nil || j.Fixed {
			return fmt.Errorf("job %d: %s, but it does not run or is fixed", j.ID, verb)
		}
		e.release(j)
		j.out.Stops++
		v.Stops++
	}
	if verb == policy.Stop {
		v.State, v.On, v.LastStop, v.Start = policy.Pending, nil, e.snap.Now, time.Time{}
	}
	return nil
}

// occupy gives a job the devices it is to have.
func (e *engine) occupy(j *job, v *policy.Job, d *policy.Decision) error {
	switch d.Verb {
	case policy.Keep:
		if j.on == nil {
			return fmt.Errorf("job %d: kept, but it does not run", j.ID)
		}
		j.fresh = false
		return nil
	case policy.Start:
		if j.on != nil || d.On.Count() == 0 {
			return fmt.Errorf("job %d: started on %v, but it runs or that is nowhere", j.ID, d.On)
		}
		e.begin(j, v)
	case policy.Move, policy.Resize:
		j.fresh = false
		j.owes = e.restart(j)
	default:
		return nil
	}
	if err := e.windows.check(&e.snap, v, d.On); err != nil {
		return err
	}
	if err := e.take(j, d.On); err != nil {
		return err
	}
	v.State, v.On, v.Start = policy.Running, d.On, e.snap.Now
	if j.pace = e.speeds.pace(j, &e.cluster); j.pace <= 0 {
		return fmt.Errorf("job %d: put on %v, where it cannot run", j.ID, d.On)
	}
	j.expect(e.now)
	return nil
}

// begin notes the start of a job that did not run.
func (e *engine) begin(j *job, v *policy.Job) {
	j.fresh, j.since = true, e.now
	if v.FirstStart.IsZero() {
		v.FirstStart, j.out.Start, j.owes = e.snap.Now, e.now, 0
		return
	}
	j.owes = e.restart(j)
}

// restart is the time a job that ran before must run before it goes on.
func (e *engine) restart(j *job) float64 {
	if e.Clock.Round > 0 {
		return 0 // a round reckons by itself
	}
	return e.cost(j)
}

// repace looks again how fast a job goes, as its neighbours may have changed.
func (e *engine) repace(j *job) {
	was := j.pace
	if j.pace = e.speeds.pace(j, &e.cluster); j.pace != was {
		j.expect(e.now)
	}
}
