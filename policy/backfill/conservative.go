package backfill

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Conservative gives every blocked job a reservation, as Slurm's sched/backfill
// does, up to a depth and a window. The first blocked job of each partition and GPU type reserves
// nodes; the others reserve numbers of GPUs by type, which is exact where any
// GPU of the type will do. Make one for each round.
type Conservative struct {
	// Depth is how many blocked jobs get a reservation; 0: 500, as
	// bf_max_job_test.
	Depth int
	// Window is how far ahead reservations are made; 0: a day, as bf_window.
	Window time.Duration
	// Length says how long jobs run; nil: by their time limits. A job of unknown
	// length runs for a year, as one without limit does for Slurm.
	Length engine.Length

	future        *future
	reservedTypes []string      // GPU types of which nodes are reserved
	allowed       *engine.Entry // the last one that was let pass
	searched      int           // see searches
}

const year = 365 * 24 * time.Hour

// Behind implements engine.Backfiller.
func (c *Conservative) Behind(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	first := c.future == nil
	if first {
		c.forecast(r)
	}
	nodes := c.reserveNodes(r, blocked)
	if !first {
		return nodes
	}
	return func(e *engine.Entry, on policy.Alloc) error {
		if err := c.allow(r, e, on); err != nil {
			return err
		}
		return nodes(e, on)
	}
}

// reserveNodes reserves nodes, once for GPUs of a type: a second reservation of nodes
// would not know of the first.
func (c *Conservative) reserveNodes(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	typ := blocked.Ask.GPUs.Type
	if slices.ContainsFunc(c.reservedTypes, func(t string) bool { return t == typ || t == "" || typ == "" }) {
		return Greedy{}.Behind(r, blocked)
	}
	c.reservedTypes = append(c.reservedTypes, typ)
	v := engine.Reserve(r, blocked, c.length())
	if !v.StartKnown || v.StartsIn > c.Window {
		return Greedy{}.Behind(r, blocked) // Slurm plans nothing beyond bf_window
	}
	return v.Pass
}

// Blocked implements engine.BlockedObserver.
func (c *Conservative) Blocked(r *engine.Round, e *engine.Entry) {
	if c.Depth <= 0 {
		return
	}
	c.takeAllowed(r)
	c.Depth--
	a := e.Gang()
	length := c.runTime(r, e)
	room, ok := c.delayForOthers(r, e, c.future.reservable(a.GPUs.Type))
	if !ok {
		return // it is not known when what it lacks comes back: it keeps no GPUs meanwhile
	}
	from, ok := room.earliest(a.GPUs.Count, length)
	if ok && from <= c.Window {
		c.future.take(a.GPUs.Type, a.GPUs.Count, from, length)
	}
}

// maxSearches is for how many jobs of a round a place is sought that lack something
// other than a number of GPUs.
const maxSearches = 32

// delayForOthers returns the room of a job from when on it has what else it needs: one
// that is blocked although GPUs enough are free lacks cores, memory, or GPUs
// together, and keeps no GPUs before it could use them. ok is false when that is
// not known to come.
func (c *Conservative) delayForOthers(r *engine.Round, e *engine.Entry, room steps) (later steps, ok bool) {
	if len(room) == 0 || room[0].free < e.Gang().GPUs.Count || c.searched >= maxSearches {
		return room, true
	}
	c.searched++
	v := engine.Reserve(r, e, c.length())
	return room.from(v.StartsIn), v.StartKnown
}

// forecast lays out what is free when, if every job runs as long as the length says.
func (c *Conservative) forecast(r *engine.Round) {
	if c.Depth == 0 {
		c.Depth = 500
	}
	if c.Window == 0 {
		c.Window = 24 * time.Hour
	}
	c.future = newFuture(r)
	a := newSetAside(r, c.future)
	for _, e := range r.Entries {
		for _, slot := range e.Planned {
			c.future.release(slot, a.freeAt(slot, c.runTime(r, e)))
		}
	}
	c.future.sumReleases()
	a.takeFrom(c.future)
}

// allow lets the job start if no reservation lacks GPUs for it.
func (c *Conservative) allow(r *engine.Round, e *engine.Entry, on policy.Alloc) error {
	c.takeAllowed(r)
	length := c.runTime(r, e)
	for typ, n := range c.future.countByType(on) {
		if at, ok := c.future.stepsOf(typ).firstShortage(n, 0, length); ok {
			return fmt.Errorf("would delay jobs ahead of it, which are to have the GPUs in %v", at.Round(time.Second))
		}
	}
	c.allowed = e
	return nil
}

// takeAllowed charges the job that was let pass last, if it did start then.
func (c *Conservative) takeAllowed(r *engine.Round) {
	if c.allowed == nil {
		return
	}
	for _, slot := range c.allowed.Planned {
		c.future.take(slot.Type, slot.Count, 0, c.runTime(r, c.allowed))
	}
	c.allowed = nil
}

func (c *Conservative) length() engine.Length {
	if c.Length == nil {
		return engine.ByLimit
	}
	return c.Length
}

func (c *Conservative) runTime(r *engine.Round, e *engine.Entry) time.Duration {
	d, ok := c.length()(r, e)
	if !ok {
		return year
	}
	return max(d, time.Second)
}
