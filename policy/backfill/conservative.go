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
	// MaxReservations is how many blocked jobs get a reservation; 0: 500, as
	// bf_max_job_test.
	MaxReservations int
	// Horizon is how far ahead reservations are made; 0: a day, as bf_window.
	Horizon time.Duration
	// RunLength says how long jobs run; nil: by their time limits. A job of unknown
	// length runs for a year, as one without limit does for Slurm.
	RunLength engine.RunLength

	future        *freeForecast
	reservedTypes []string      // GPU types of which nodes are reserved
	lastAllowed   *engine.Entry // the last one that was let pass
	searchCount   int           // see maxSearches
}

const year = 365 * 24 * time.Hour

// NewPassCheck implements engine.Backfiller.
func (c *Conservative) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	first := c.future == nil
	if first {
		c.forecast(r)
	}
	nodes := c.reserveNodes(r, blocked)
	if !first {
		return nodes
	}
	return func(e *engine.Entry, on policy.Alloc) error {
		if err := c.checkReservations(r, e, on); err != nil {
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
		return Greedy{}.NewPassCheck(r, blocked)
	}
	c.reservedTypes = append(c.reservedTypes, typ)
	v := engine.Reserve(r, blocked, c.length())
	if !v.IsStartKnown || v.StartsIn > c.Horizon {
		return Greedy{}.NewPassCheck(r, blocked) // Slurm plans nothing beyond bf_window
	}
	return v.CheckPass
}

// ObserveBlocked implements engine.BlockedObserver.
func (c *Conservative) ObserveBlocked(r *engine.Round, e *engine.Entry) {
	if c.MaxReservations <= 0 {
		return
	}
	c.chargeLastAllowed(r)
	c.MaxReservations--
	a := e.GangAsk()
	length := c.runTime(r, e)
	room, ok := c.delayForOthers(r, e, c.future.reservableSteps(a.GPUs.Type))
	if !ok {
		return // it is not known when what it lacks comes back: it keeps no GPUs meanwhile
	}
	from, ok := room.earliestRoom(a.GPUs.Count, length)
	if ok && from <= c.Horizon {
		c.future.reserve(a.GPUs.Type, a.GPUs.Count, from, length)
	}
}

// maxSearches is for how many jobs of a round a place is sought that lack something
// other than a number of GPUs.
const maxSearches = 32

// delayForOthers returns the room of a job from when on it has what else it needs: one
// that is blocked although GPUs enough are free lacks cores, memory, or GPUs
// together, and keeps no GPUs before it could use them. ok is false when that is
// not known to come.
func (c *Conservative) delayForOthers(r *engine.Round, e *engine.Entry, room freeSteps) (later freeSteps, ok bool) {
	if len(room) == 0 || room[0].freeDevices < e.GangAsk().GPUs.Count || c.searchCount >= maxSearches {
		return room, true
	}
	c.searchCount++
	v := engine.Reserve(r, e, c.length())
	return room.startingAt(v.StartsIn), v.IsStartKnown
}

// forecast lays out what is free when, if every job runs as long as the length says.
func (c *Conservative) forecast(r *engine.Round) {
	if c.MaxReservations == 0 {
		c.MaxReservations = 500
	}
	if c.Horizon == 0 {
		c.Horizon = 24 * time.Hour
	}
	c.future = newFreeForecast(r)
	a := newSetAsideNodes(r, c.future)
	for _, e := range r.Entries {
		for _, slot := range e.PlannedAlloc {
			c.future.release(slot, a.freeAt(slot, c.runTime(r, e)))
		}
	}
	c.future.sumReleases()
	a.subtractFrom(c.future)
}

// checkReservations lets the job start if no reservation lacks GPUs for it.
func (c *Conservative) checkReservations(r *engine.Round, e *engine.Entry, on policy.Alloc) error {
	c.chargeLastAllowed(r)
	length := c.runTime(r, e)
	for typ, n := range c.future.countByType(on) {
		if at, ok := c.future.stepsOf(typ).firstShortage(n, 0, length); ok {
			return fmt.Errorf("would delay jobs ahead of it, which are to have the GPUs in %v", at.Round(time.Second))
		}
	}
	c.lastAllowed = e
	return nil
}

// chargeLastAllowed charges the job that was let pass last, if it did start then.
func (c *Conservative) chargeLastAllowed(r *engine.Round) {
	if c.lastAllowed == nil {
		return
	}
	for _, slot := range c.lastAllowed.PlannedAlloc {
		c.future.reserve(slot.Type, slot.Count, 0, c.runTime(r, c.lastAllowed))
	}
	c.lastAllowed = nil
}

func (c *Conservative) length() engine.RunLength {
	if c.RunLength == nil {
		return engine.RunLengthByLimit
	}
	return c.RunLength
}

func (c *Conservative) runTime(r *engine.Round, e *engine.Entry) time.Duration {
	d, ok := c.length()(r, e)
	if !ok {
		return year
	}
	return max(d, time.Second)
}
