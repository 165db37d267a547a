package chaos

import (
	"context"
	"slices"
	"time"

	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/chaos/oracle"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// wire is Slurm as a daemon reaches it.
type wire struct{ *daemonProcess }

// RereadJob implements bridge.Cluster. It takes a moment, in which things happen.
func (c *wire) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	c.world.Advance(c.world.Now().Add(50 * time.Millisecond))
	c.passPort()
	switch {
	case ctx.Err() != nil:
		return slurm.Job{}, &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: ctx.Err().Error()}
	case c.faults.isActive(event.RereadFails, c.cycle):
		return slurm.Job{}, &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld does not answer"}
	}
	j, err := c.world.Job(id)
	if err == nil && c.isHidden(&j, true) {
		return slurm.Job{}, &slurm.Error{Class: slurm.ErrorJobGone, Number: sim.ErrnoNoSuchJob, Text: "Invalid job id specified"}
	}
	if err != nil {
		return slurm.Job{}, err
	}
	c.oracle.NoteReread(&c.Daemon, id)
	c.passPort()
	return c.Site.Shown(j), nil
}

// isHidden reports whether our rights do not show the job: in lists only, or
// everywhere.
func (c *wire) isHidden(j *slurm.Job, single bool) bool {
	shown := func(k event.Kind) bool { return j.User == site.Users[c.faults.roll[k]%uint64(len(site.Users))] }
	return c.faults.isActive(event.Private, c.cycle) && !shown(event.Private) ||
		!single && c.faults.isActive(event.FilteredList, c.cycle) && !shown(event.FilteredList)
}

// HasNode implements bridge.Cluster.
func (c *wire) HasNode(ctx context.Context, name string) (bool, error) {
	c.passPort()
	if ctx.Err() != nil || c.faults.isActive(event.RereadFails, c.cycle) {
		return false, &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld does not answer"}
	}
	return sim.DirectCluster{World: c.world}.HasNode(ctx, name)
}

// ApplyEdit implements bridge.Cluster. A write may be lost on either way, or come
// late.
func (c *wire) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	c.passPort()
	if c.Parts.Rewritten != nil {
		e = c.Parts.Rewritten(e)
	}
	if j, err := c.world.Job(e.Run.Job); err == nil && c.isHidden(&j, true) {
		return &slurm.Error{Class: slurm.ErrorForbidden, Number: sim.ErrnoInvalidUser, Text: "Invalid user id"}
	}
	call := &oracle.Call{By: &c.Daemon, Edit: e, At: c.world.Now(), Late: c.frozen != c.frozenAt}
	c.oracle.CheckSend(call)
	strike := c.faults.nextForWrite()
	if strike != "" || call.Late {
		c.oracle.NoteFailure(call)
	}
	switch strike {
	case event.Unreachable:
		return &slurm.Error{Class: slurm.ErrorUnreachable, Text: "connection refused"}
	case event.WriteLostBefore:
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "connection reset"}
	case event.Broken:
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, HTTPStatus: 500, Text: "Unspecified error"}
	case event.Busy:
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "try again later"}
	case event.Late:
		call.Late, call.Unanswered = true, true
		c.world.ScheduleAt(c.world.Now().Add(c.faults.lateness), func() { _ = c.carryOut(call) })
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "no answer in time"}
	}
	call.Unanswered = strike == event.WriteLostAfter
	err := c.carryOut(call)
	c.touched[e.Run.Job] = 2
	c.passPort()
	if strike == event.WriteLostAfter {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "connection reset by peer"}
	}
	return err
}

// carryOut does what was asked for. Giving a direct priority back takes two calls.
func (c *wire) carryOut(k *oracle.Call) error {
	d := sim.DirectCluster{World: c.world, ActingUser: c.Name}
	defer c.oracle.StartCall(k)()
	if k.Edit.Kind != slurm.EditHandBackPriority {
		return d.ApplyEdit(context.Background(), k.Edit)
	}
	u := sim.JobUpdate{SLUID: k.Edit.Run.SLUID, Hold: sim.Ptr(true)}
	if err := c.world.Update(c.Name, k.Edit.Run.Job, u); err != nil {
		return err
	}
	if !k.Late {
		c.passPort() // a process that dies here leaves a hold
	}
	u.Hold = sim.Ptr(false)
	if err := c.world.Update(c.Name, k.Edit.Run.Job, u); err != nil || k.Edit.Value == 0 {
		return err
	}
	return c.world.Update(c.Name, k.Edit.Run.Job, sim.JobUpdate{Nice: &k.Edit.Value})
}

// Observe implements bridge.Cluster.
func (c *wire) Observe(ctx context.Context) (*slurm.View, error) {
	c.passPort()
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
		v.Jobs[i] = c.Site.Shown(v.Jobs[i])
	}
	truth := *v
	truth.Jobs = slices.Clone(v.Jobs)
	c.Truth = &truth
	v.ReadAt = c.now()
	if !c.faults.boot.IsZero() {
		v.ControllerStart = c.faults.boot
	}
	c.falsifyView(v)
	c.showStale(v)
	c.NoteView(v, v.At.Sub(c.Truth.At)-c.faults.skew(event.OurClock), &c.Site.Gate)
	c.passPort()
	return v, nil
}
