// Package backfill says which jobs may pass a blocked one: none (a nil stage),
// those that delay nothing (EASY), or all (Greedy).
package backfill

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// EASY gives the first blocked job of each partition and GPU type a reservation. A later job
// passes if it ends before the reservation begins, or takes only devices the
// reservation leaves over. Lifka, "The ANL/IBM SP scheduling system", JSSPP
// 1995.
type EASY struct {
	// RunLength says how long jobs run; nil: by their time limits, which are
	// enforced, so no job with a reservation is ever delayed. With engine.RunLengthByEstimate more
	// jobs pass, and some delay the reservation.
	RunLength engine.RunLength
}

// NewPassCheck implements engine.Backfiller.
func (b EASY) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	length := b.RunLength
	if length == nil {
		length = engine.RunLengthByLimit
	}
	return engine.Reserve(r, blocked, length).CheckPass
}

// Greedy lets every job pass that finds room. Wide jobs starve under it until
// engine.Rules.MaxWait makes them the first of the line.
type Greedy struct{}

// NewPassCheck implements engine.Backfiller.
func (Greedy) NewPassCheck(*engine.Round, *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	return func(*engine.Entry, policy.Alloc) error { return nil }
}

// ReserveAfter lets every job pass a blocked one that waited less, and gives one
// that waited longer a reservation.
type ReserveAfter time.Duration

// NewPassCheck implements engine.Backfiller.
func (after ReserveAfter) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	if blocked.Waited(r.Now) < time.Duration(after) {
		return Greedy{}.NewPassCheck(r, blocked)
	}
	return EASY{}.NewPassCheck(r, blocked)
}

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

	freeForecast     *freeForecast
	reservedTypes    []string      // GPU types of which nodes are reserved
	lastAllowedEntry *engine.Entry // the last one that was let pass
	searchCount      int           // see maxSearchesPerRound
}

const runTimeWithoutLimit = 365 * 24 * time.Hour

// NewPassCheck implements engine.Backfiller.
func (c *Conservative) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	first := c.freeForecast == nil
	if first {
		c.buildForecast(r)
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
	v := engine.Reserve(r, blocked, c.runLengthFunc())
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
	length := c.runTimeOf(r, e)
	room, ok := c.delayForOtherNeeds(r, e, c.freeForecast.reservableSteps(a.GPUs.Type))
	if !ok {
		return // it is not known when what it lacks comes back: it keeps no GPUs meanwhile
	}
	from, ok := room.earliestRoom(a.GPUs.Count, length)
	if ok && from <= c.Horizon {
		c.freeForecast.reserve(a.GPUs.Type, a.GPUs.Count, from, length)
	}
}

// maxSearchesPerRound is for how many jobs of a round a place is sought that lack something
// other than a number of GPUs.
const maxSearchesPerRound = 32

// delayForOtherNeeds returns the room of a job from when on it has what else it needs: one
// that is blocked although GPUs enough are free lacks cores, memory, or GPUs
// together, and keeps no GPUs before it could use them. ok is false when that is
// not known to come.
func (c *Conservative) delayForOtherNeeds(r *engine.Round, e *engine.Entry, room freeSteps) (later freeSteps, ok bool) {
	if len(room) == 0 || room[0].freeDevices < e.GangAsk().GPUs.Count || c.searchCount >= maxSearchesPerRound {
		return room, true
	}
	c.searchCount++
	v := engine.Reserve(r, e, c.runLengthFunc())
	return room.startingAt(v.StartsIn), v.IsStartKnown
}

// buildForecast lays out what is free when, if every job runs as long as RunLength says.
func (c *Conservative) buildForecast(r *engine.Round) {
	if c.MaxReservations == 0 {
		c.MaxReservations = 500
	}
	if c.Horizon == 0 {
		c.Horizon = 24 * time.Hour
	}
	c.freeForecast = newFreeForecast(r)
	a := newSetAsideNodes(r, c.freeForecast)
	for _, e := range r.Entries {
		for _, slot := range e.PlannedAlloc {
			c.freeForecast.addRelease(slot, a.freeFrom(slot, c.runTimeOf(r, e)))
		}
	}
	c.freeForecast.sumReleases()
	a.subtractWindows(c.freeForecast)
}

// checkReservations lets the job start if no reservation lacks GPUs for it.
func (c *Conservative) checkReservations(r *engine.Round, e *engine.Entry, on policy.Alloc) error {
	c.chargeLastAllowed(r)
	length := c.runTimeOf(r, e)
	for typ, n := range c.freeForecast.countByType(on) {
		if at, ok := c.freeForecast.stepsOfType(typ).firstShortage(n, 0, length); ok {
			return fmt.Errorf("would delay jobs ahead of it, which are to have the GPUs in %s", policy.FormatDuration(at))
		}
	}
	c.lastAllowedEntry = e
	return nil
}

// chargeLastAllowed charges the job that was let pass last, if it did start then.
func (c *Conservative) chargeLastAllowed(r *engine.Round) {
	if c.lastAllowedEntry == nil {
		return
	}
	for _, slot := range c.lastAllowedEntry.PlannedAlloc {
		c.freeForecast.reserve(slot.Type, slot.Count, 0, c.runTimeOf(r, c.lastAllowedEntry))
	}
	c.lastAllowedEntry = nil
}

func (c *Conservative) runLengthFunc() engine.RunLength {
	if c.RunLength == nil {
		return engine.RunLengthByLimit
	}
	return c.RunLength
}

func (c *Conservative) runTimeOf(r *engine.Round, e *engine.Entry) time.Duration {
	d, ok := c.runLengthFunc()(r, e)
	if !ok {
		return runTimeWithoutLimit
	}
	return max(d, time.Second)
}
