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
type wire struct{ *proc }

// Reread implements bridge.Cluster. It takes a moment, in which things happen.
func (c *wire) Reread(ctx context.Context, id int64) (slurm.Job, error) {
	c.w.Advance(c.w.Now().Add(50 * time.Millisecond))
	c.port()
	switch {
	case ctx.Err() != nil:
		return slurm.Job{}, &slurm.Error{Class: slurm.Unclear, Text: ctx.Err().Error()}
	case c.faults.is(event.RereadFails, c.cycle):
		return slurm.Job{}, &slurm.Error{Class: slurm.Busy, Text: "slurmctld does not answer"}
	}
	j, err := c.w.Job(id)
	if err == nil && c.hidden(&j, true) {
		return slurm.Job{}, &slurm.Error{Class: slurm.Gone, Number: sim.NoSuchJob, Text: "Invalid job id specified"}
	}
	if err != nil {
		return slurm.Job{}, err
	}
	c.oracle.Reread(&c.Daemon, id)
	c.port()
	return c.Site.Shown(j), nil
}

// hidden reports whether our rights do not show the job: in lists only, or
// everywhere.
func (c *wire) hidden(j *slurm.Job, single bool) bool {
	shown := func(k event.Kind) bool { return j.User == site.Users[c.faults.roll[k]%uint64(len(site.Users))] }
	return c.faults.is(event.Private, c.cycle) && !shown(event.Private) ||
		!single && c.faults.is(event.FilteredList, c.cycle) && !shown(event.FilteredList)
}

// HasNode implements bridge.Cluster.
func (c *wire) HasNode(ctx context.Context, name string) (bool, error) {
	c.port()
	if ctx.Err() != nil || c.faults.is(event.RereadFails, c.cycle) {
		return false, &slurm.Error{Class: slurm.Busy, Text: "slurmctld does not answer"}
	}
	return sim.Direct{World: c.w}.HasNode(ctx, name)
}

// Apply implements bridge.Cluster. A write may be lost on either way, or come
// late.
func (c *wire) Apply(ctx context.Context, e slurm.Edit) error {
	c.port()
	if c.Parts.Rewritten != nil {
		e = c.Parts.Rewritten(e)
	}
	if j, err := c.w.Job(e.Run.Job); err == nil && c.hidden(&j, true) {
		return &slurm.Error{Class: slurm.Refused, Number: sim.InvalidUser, Text: "Invalid user id"}
	}
	call := &oracle.Call{By: &c.Daemon, Edit: e, At: c.w.Now(), Late: c.frozen != c.frozenAt}
	c.oracle.Sends(call)
	strike := c.faults.strike()
	if strike != "" || call.Late {
		c.oracle.Fails(call)
	}
	switch strike {
	case event.Unreachable:
		return &slurm.Error{Class: slurm.Unreachable, Text: "connection refused"}
	case event.LostBefore:
		return &slurm.Error{Class: slurm.Unclear, Text: "connection reset"}
	case event.Broken:
		return &slurm.Error{Class: slurm.Unclear, Status: 500, Text: "Unspecified error"}
	case event.Busy:
		return &slurm.Error{Class: slurm.Busy, Text: "try again later"}
	case event.Late:
		call.Late, call.Unanswered = true, true
		c.w.At(c.w.Now().Add(c.faults.late), func() { _ = c.carry(call) })
		return &slurm.Error{Class: slurm.Unclear, Text: "no answer in time"}
	}
	call.Unanswered = strike == event.LostAfter
	err := c.carry(call)
	c.touch[e.Run.Job] = 2
	c.port()
	if strike == event.LostAfter {
		return &slurm.Error{Class: slurm.Unclear, Text: "connection reset by peer"}
	}
	return err
}

// carry does what was asked for. Giving a direct priority back takes two calls.
func (c *wire) carry(k *oracle.Call) error {
	d := sim.Direct{World: c.w, By: c.Name}
	defer c.oracle.During(k)()
	if k.Edit.Kind != slurm.HandBack {
		return d.Apply(context.Background(), k.Edit)
	}
	u := sim.Update{SLUID: k.Edit.Run.SLUID, Hold: sim.Ptr(true)}
	if err := c.w.Update(c.Name, k.Edit.Run.Job, u); err != nil {
		return err
	}
	if !k.Late {
		c.port() // a process that dies here leaves a hold
	}
	u.Hold = sim.Ptr(false)
	if err := c.w.Update(c.Name, k.Edit.Run.Job, u); err != nil || k.Edit.Value == 0 {
		return err
	}
	return c.w.Update(c.Name, k.Edit.Run.Job, sim.Update{Nice: &k.Edit.Value})
}

// Observe implements bridge.Cluster.
func (c *wire) Observe(ctx context.Context) (*slurm.View, error) {
	c.port()
	switch {
	case ctx.Err() != nil:
		return nil, &slurm.Error{Class: slurm.Unclear, Text: ctx.Err().Error()}
	case c.faults.is(event.PollFails, c.cycle):
		return nil, &slurm.Error{Class: slurm.Busy, Text: "slurmctld does not answer"}
	}
	v, err := sim.Direct{World: c.w}.Observe(ctx)
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
		v.Started = c.faults.boot
	}
	c.spoil(v)
	c.lazily(v)
	c.Sees(v, v.At.Sub(c.Truth.At)-c.faults.skew(event.OurClock), &c.Site.Gate)
	c.port()
	return v, nil
}
