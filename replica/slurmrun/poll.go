package slurmrun

import (
	"context"
	"time"

	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// polledCluster is the simulated Slurm as a daemon's polls see it: on releases that list states
// most of them are no whole list, so that a stop waits for the next poll, which reads all. What
// a record shows is of this moment all the same, where a daemon may see an old one. Edits that
// are sent are counted.
type polledCluster struct {
	sim.DirectCluster
	interval   time.Duration // between polls
	writeCount *int

	lastFullRead        pollMark // the last poll that read the whole list
	lastPoll            pollMark
	isFullReadRequested bool

	listsAnew     bool        // no list is used twice
	lastView      *slurm.View // nil: none yet
	hasWaiters    bool        // some job of it waits for the end of others
	nextBegin     time.Time   // when the first of its jobs may start that may not yet, at most a day on
	repeatedCount int         // lists that were the last one
}

var _ cycle.FullReader = (*polledCluster)(nil)

// pollMark is what is remembered of a poll.
type pollMark struct {
	at         time.Time
	jobCount   int  // jobs in the list
	endedCount int  // jobs that had ended by then
	hasWaiters bool // some job waited for the end of others
}

// Observe implements bridge.Cluster. Where a list would show what the last one did, it is the very same one, by which
// the loop sees that it knows all of it.
func (c *polledCluster) Observe(ctx context.Context) (*slurm.View, error) {
	v, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	_, _, ended := c.World.JobTotals()
	c.noteSkippedPolls(v.At)
	v.IsFullRead = !slurm.ListsStates(v.Release) || c.isWholeListRead(v, ended)
	c.isFullReadRequested = false
	c.lastPoll = pollMark{v.At, len(v.Jobs), ended, c.hasWaiters}
	if v.IsFullRead {
		c.lastFullRead = c.lastPoll
	}
	return v, nil
}

// list returns what Slurm shows now. No job that waits comes to the moment from which it may start without that what
// it shows of its start changes.
func (c *polledCluster) list(ctx context.Context) (*slurm.View, error) {
	now := c.World.Now()
	if c.lastView != nil && !c.listsAnew && c.World.LastShownChange().Before(c.lastPoll.at) && now.Before(c.nextBegin) {
		c.repeatedCount++
		v := *c.lastView
		v.At, v.ReservationsAt = now, now
		return &v, nil
	}
	v, err := c.DirectCluster.Observe(ctx)
	if err != nil {
		return nil, err
	}
	c.lastView, c.nextBegin, c.hasWaiters = v, now.Add(24*time.Hour), hasWaiters(v.Jobs)
	for i := range v.Jobs {
		if at := v.Jobs[i].EligibleTime; at.After(now) && at.Before(c.nextBegin) {
			c.nextBegin = at
		}
	}
	return v, nil
}

// hasWaiters reports whether some job waits for the end of others. Records are large, and every
// poll looks at all: none is copied.
func hasWaiters(jobs []slurm.Job) bool {
	for i := range jobs {
		if jobs[i].WaitsForAnEnd() {
			return true
		}
	}
	return false
}

// noteSkippedPolls notes the whole lists that polls left out since the last one would have read
// because they were due. Polls are left out while nothing happens.
func (c *polledCluster) noteSkippedPolls(now time.Time) {
	if c.lastFullRead.at.IsZero() {
		return
	}
	every := (slurm.DefaultFullReadRule().Every + c.interval - 1) / c.interval * c.interval
	if n := (now.Sub(c.lastFullRead.at) - 1) / every; n > 0 {
		at := c.lastFullRead.at.Add(n * every)
		c.lastFullRead = c.lastPoll
		c.lastFullRead.at = at
	}
}

// isWholeListRead reports whether this poll reads the record of every job, when so many have ended.
func (c *polledCluster) isWholeListRead(v *slurm.View, ended int) bool {
	rule, last := slurm.DefaultFullReadRule(), c.lastFullRead
	if rule.IsDue(last.at, v.At) {
		return true
	}
	isWanted := c.isFullReadRequested || ended > last.endedCount && c.lastPoll.hasWaiters
	return isWanted && rule.IsAllowed(last.at, v.At, last.jobCount)
}

// RequestFullRead implements cycle.FullReader.
func (c *polledCluster) RequestFullRead() { c.isFullReadRequested = true }

// ApplyEdit implements bridge.Cluster.
func (c *polledCluster) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	*c.writeCount++
	return c.DirectCluster.ApplyEdit(ctx, e)
}
