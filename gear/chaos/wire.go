package chaos

import (
	"context"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/oracle"
	"fairbridge/gear/chaos/site"
	"fairbridge/replica/sim"
)

// faultyCluster is Slurm as a daemon reaches it.
type faultyCluster struct{ *daemonProcess }

// RereadJob implements bridge.Cluster. It takes a moment, in which things happen.
func (c *faultyCluster) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	c.world.Advance(c.world.Now().Add(50 * time.Millisecond))
	c.runDuePortActions()
	switch {
	case ctx.Err() != nil:
		return slurm.Job{}, &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: ctx.Err().Error()}
	case c.faults.isActive(event.RereadFails, c.cycle):
		return slurm.Job{}, &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld does not answer"}
	}
	j, err := c.world.Job(id)
	if err == nil && c.isJobHidden(&j, true) {
		return slurm.Job{}, &slurm.Error{Class: slurm.ErrorJobGone, Number: sim.ErrnoNoSuchJob, Text: "Invalid job id specified"}
	}
	if err != nil {
		return slurm.Job{}, err
	}
	c.oracle.NoteJobReread(&c.Daemon, id)
	c.runDuePortActions()
	return c.Site.ShownJob(j), nil
}

// isJobHidden reports whether our rights do not show the job: in lists only, or
// everywhere.
func (c *faultyCluster) isJobHidden(j *slurm.Job, single bool) bool {
	shown := func(k event.Kind) bool {
		return j.User == site.UserNames[c.faults.randomByKind[k]%uint64(len(site.UserNames))]
	}
	return c.faults.isActive(event.UserJobsPrivate, c.cycle) && !shown(event.UserJobsPrivate) ||
		!single && c.faults.isActive(event.FilteredJobList, c.cycle) && !shown(event.FilteredJobList)
}

// ReadRights implements bridge.RightsReader.
func (c *faultyCluster) ReadRights(context.Context) (user, level string, err error) {
	if c.faults.isActive(event.UserJobsPrivate, c.cycle) {
		return c.Name, "None", nil
	}
	return c.Name, "Operator", nil
}

// HasNode implements bridge.Cluster.
func (c *faultyCluster) HasNode(ctx context.Context, name string) (bool, error) {
	c.runDuePortActions()
	if ctx.Err() != nil || c.faults.isActive(event.RereadFails, c.cycle) {
		return false, &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld does not answer"}
	}
	return sim.DirectCluster{World: c.world}.HasNode(ctx, name)
}

// ApplyEdit implements bridge.Cluster. A write may be lost on either way, or come
// late.
func (c *faultyCluster) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	c.runDuePortActions()
	if c.Overrides.RewriteEdit != nil {
		e = c.Overrides.RewriteEdit(e)
	}
	if j, err := c.world.Job(e.Run.Job); err == nil && c.isJobHidden(&j, true) {
		return &slurm.Error{Class: slurm.ErrorForbidden, Number: sim.ErrnoInvalidUser, Text: "Invalid user id"}
	}
	call := &oracle.Call{SentBy: &c.Daemon, Edit: e, SentAt: c.world.Now(), IsLate: c.freezeCount != c.freezeCountAtPermission}
	c.oracle.CheckSend(call)
	strike := c.faults.takeWriteFault()
	c.freshPollsLeftByJob[e.Run.Job] = max(c.freshPollsLeftByJob[e.Run.Job], pollsAfterCall(strike))
	if strike != "" || call.IsLate {
		c.oracle.NoteCallFailure(call)
	}
	switch strike {
	case event.SlurmUnreachable:
		return &slurm.Error{Class: slurm.ErrorUnreachable, Text: "connection refused"}
	case event.WriteRequestLost:
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "connection reset"}
	case event.WriteServerError:
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, HTTPStatus: 500, Text: "Unspecified error"}
	case event.WriteBusy:
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "try again later"}
	case event.WriteLate:
		call.IsLate, call.IsUnanswered = true, true
		c.world.ScheduleAt(c.world.Now().Add(c.faults.writeDelay), func() { _ = c.carryOutCall(call) })
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "no answer in time"}
	}
	call.IsUnanswered = strike == event.WriteAnswerLost
	err := c.carryOutCall(call)
	c.runDuePortActions()
	if strike == event.WriteAnswerLost {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "connection reset by peer"}
	}
	return err
}

// pollsAfterCall is how many polls after a call read its job afresh, as rest.Client does.
func pollsAfterCall(strike event.Kind) int {
	switch strike {
	case event.WriteRequestLost, event.WriteServerError, event.WriteBusy, event.WriteLate, event.WriteAnswerLost:
		return 10
	}
	return 3
}

// carryOutCall does what was asked for. Giving a direct priority back takes two calls.
func (c *faultyCluster) carryOutCall(k *oracle.Call) error {
	d := sim.DirectCluster{World: c.world, ActingUser: c.Name}
	defer c.oracle.StartCall(k)()
	if k.Edit.Kind != slurm.EditHandBackPriority {
		return d.ApplyEdit(context.Background(), k.Edit)
	}
	u := sim.JobUpdate{SLUID: k.Edit.Run.SLUID, Hold: sim.Ptr(true)}
	if err := c.world.Update(c.Name, k.Edit.Run.Job, u); err != nil {
		return err
	}
	if !k.IsLate {
		c.runDuePortActions() // a process that dies here leaves a hold
	}
	u.Hold = sim.Ptr(false)
	if err := c.world.Update(c.Name, k.Edit.Run.Job, u); err != nil || k.Edit.Value == 0 {
		return err
	}
	return c.world.Update(c.Name, k.Edit.Run.Job, sim.JobUpdate{Nice: &k.Edit.Value})
}

// RequestFullRead implements cycle.FullReader.
func (c *faultyCluster) RequestFullRead() { c.isFullListRequested = true }

// Observe implements bridge.Cluster.
func (c *faultyCluster) Observe(ctx context.Context) (*slurm.View, error) {
	c.runDuePortActions()
	switch {
	case ctx.Err() != nil:
		return nil, &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: ctx.Err().Error()}
	case c.faults.isActive(event.PollFails, c.cycle):
		return nil, &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld does not answer"}
	}
	v, err := sim.DirectCluster{World: c.world}.Observe(ctx)
	if err != nil {
		return nil, err
	}
	for i := range v.Jobs {
		v.Jobs[i] = c.Site.ShownJob(v.Jobs[i])
	}
	truth := *v
	truth.Jobs = slices.Clone(v.Jobs)
	c.TrueView = &truth
	v.ReadAt = c.now()
	if !c.faults.slurmctldStart.IsZero() {
		v.ControllerStart = c.faults.slurmctldStart
	}
	c.falsifyView(v)
	c.showStaleJobs(v)
	c.NoteView(v, v.At.Sub(c.TrueView.At)-c.faults.clockShiftByKind[event.DaemonClockOff], &c.Site.Budgets)
	c.runDuePortActions()
	return v, nil
}
