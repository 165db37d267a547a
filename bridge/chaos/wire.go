package chaos

import (
	"context"
	"slices"
	"time"

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
	case c.weather.is(RereadFails, c.cycle):
		return slurm.Job{}, &slurm.Error{Class: slurm.Busy, Text: "slurmctld does not answer"}
	}
	j, err := c.w.Job(id)
	if err == nil && c.hidden(&j, true) {
		return slurm.Job{}, &slurm.Error{Class: slurm.Gone, Number: sim.NoSuchJob, Text: "Invalid job id specified"}
	}
	if err != nil {
		return slurm.Job{}, err
	}
	c.read[id] = c.oracle.book.count
	c.port()
	return c.dressed(j), nil
}

// hidden reports whether our rights do not show the job: in lists only, or
// everywhere.
func (c *wire) hidden(j *slurm.Job, single bool) bool {
	shown := func(k Kind) bool { return j.User == users[c.weather.roll[k]%uint64(len(users))] }
	return c.weather.is(Private, c.cycle) && !shown(Private) ||
		!single && c.weather.is(FilteredList, c.cycle) && !shown(FilteredList)
}

// HasNode implements bridge.Cluster.
func (c *wire) HasNode(ctx context.Context, name string) (bool, error) {
	c.port()
	if ctx.Err() != nil || c.weather.is(RereadFails, c.cycle) {
		return false, &slurm.Error{Class: slurm.Busy, Text: "slurmctld does not answer"}
	}
	return sim.Direct{World: c.w}.HasNode(ctx, name)
}

// Apply implements bridge.Cluster. A write may be lost on either way, or come
// late.
func (c *wire) Apply(ctx context.Context, e slurm.Edit) error {
	c.port()
	if c.Rewritten != nil {
		e = c.Rewritten(e)
	}
	if j, err := c.w.Job(e.Run.Job); err == nil && c.hidden(&j, true) {
		return &slurm.Error{Class: slurm.Refused, Number: sim.InvalidUser, Text: "Invalid user id"}
	}
	call := &call{p: c.proc, e: e, at: c.w.Now(), late: c.thaws != c.leave}
	c.oracle.sends(call)
	strike := c.weather.strike()
	c.oracle.shake(call, strike)
	switch strike {
	case Unreachable:
		return &slurm.Error{Class: slurm.Unreachable, Text: "connection refused"}
	case LostBefore:
		return &slurm.Error{Class: slurm.Unclear, Text: "connection reset"}
	case Broken:
		return &slurm.Error{Class: slurm.Unclear, Status: 500, Text: "Unspecified error"}
	case Busy:
		return &slurm.Error{Class: slurm.Busy, Text: "try again later"}
	case Late:
		call.late, call.mute = true, true
		c.w.At(c.w.Now().Add(c.weather.late), func() { _ = c.carry(call) })
		return &slurm.Error{Class: slurm.Unclear, Text: "no answer in time"}
	}
	call.mute = strike == LostAfter
	err := c.carry(call)
	c.touch[e.Run.Job] = 2
	c.port()
	if strike == LostAfter {
		return &slurm.Error{Class: slurm.Unclear, Text: "connection reset by peer"}
	}
	return err
}

// carry does what was asked for. Giving a direct priority back takes two calls.
func (c *wire) carry(k *call) error {
	d := sim.Direct{World: c.w, By: c.name}
	defer c.oracle.during(k)()
	if k.e.Kind != slurm.HandBack {
		return d.Apply(context.Background(), k.e)
	}
	u := sim.Update{SLUID: k.e.Run.SLUID, Hold: sim.Ptr(true)}
	if err := c.w.Update(c.name, k.e.Run.Job, u); err != nil {
		return err
	}
	if !k.late {
		c.port() // a process that dies here leaves a hold
	}
	u.Hold = sim.Ptr(false)
	if err := c.w.Update(c.name, k.e.Run.Job, u); err != nil || k.e.Value == 0 {
		return err
	}
	return c.w.Update(c.name, k.e.Run.Job, sim.Update{Nice: &k.e.Value})
}

// Owe implements bridge.Debtor.
func (c *wire) Owe(run slurm.Run) { c.owed[run.Job] = run }

// Pay implements bridge.Debtor.
func (c *wire) Pay(ctx context.Context) error {
	for id, run := range c.owed {
		c.port()
		if err := ctx.Err(); err != nil {
			return err
		}
		j, err := c.w.Job(id)
		delete(c.owed, id)
		j = c.dressed(j)
		if err != nil || !j.HeldByAdmin() || !run.Same(j.Run()) {
			continue
		}
		func() {
			defer c.oracle.during(&call{p: c.proc, e: slurm.Edit{Run: run, Kind: slurm.HandBack}, at: c.w.Now()})()
			_ = c.w.Update(c.name, id, sim.Update{Hold: sim.Ptr(false)})
		}()
	}
	return nil
}

// Observe implements bridge.Cluster.
func (c *wire) Observe(ctx context.Context) (*slurm.View, error) {
	c.port()
	switch {
	case ctx.Err() != nil:
		return nil, &slurm.Error{Class: slurm.Unclear, Text: ctx.Err().Error()}
	case c.weather.is(PollFails, c.cycle):
		return nil, &slurm.Error{Class: slurm.Busy, Text: "slurmctld does not answer"}
	}
	v, err := sim.Direct{World: c.w}.Observe(ctx)
	if err != nil {
		return nil, err
	}
	for i := range v.Jobs {
		v.Jobs[i] = c.dressed(v.Jobs[i])
	}
	truth := *v
	truth.Jobs = slices.Clone(v.Jobs)
	c.truth = &truth
	v.Read = c.now()
	if !c.weather.boot.IsZero() {
		v.Started = c.weather.boot
	}
	c.spoil(v)
	c.lazily(v)
	c.unwell = c.wrong(v)
	c.meet(v)
	c.port()
	return v, nil
}
