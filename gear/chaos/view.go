package chaos

import (
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/event"
)

// falsifyView makes a view show less, or another time, than is true.
func (c *faultyCluster) falsifyView(v *slurm.View) {
	is := func(k event.Kind) bool { return c.faults.isActive(k, c.cycle) }
	v.Jobs = slices.DeleteFunc(v.Jobs, func(j slurm.Job) bool { return is(event.EmptyJobList) || c.isJobHidden(&j, false) })
	if n := uint64(len(v.Jobs)); is(event.JobMissing) && n > 0 {
		i := int(c.faults.randomByKind[event.JobMissing] % n)
		v.Jobs = slices.Delete(v.Jobs, i, i+1)
	}
	if n := len(v.Nodes); is(event.NodesMissing) {
		v.Nodes = v.Nodes[:n-n/2]
	}
	if is(event.PartitionsMissing) {
		v.Partitions = nil
	}
	c.dropReservations(v)
	shift := c.faults.clockShiftByKind
	v.At = v.At.Add(shift[event.SlurmClockAhead] + shift[event.SlurmClockBehind])
}

// dropReservations makes a view without the reservations: those read last stay.
func (c *faultyCluster) dropReservations(v *slurm.View) {
	if c.faults.isActive(event.ReservationsUnread, c.cycle) {
		v.StaleReservationsReason = "slurmctld gives no reservations"
		v.Reservations, v.ReservationsAt = c.LastReservations, c.ReservationsReadAt
		return
	}
	c.LastReservations, c.ReservationsReadAt = v.Reservations, v.At
}

// fullListInterval is the time between full lists where polls are lazy.
const fullListInterval = 5 * time.Minute

// showStaleJobs shows jobs as they were last read, unless their state moved or we wrote to
// them, as the client does that reads jobs/state between full lists: it shows no
// edits.
func (c *faultyCluster) showStaleJobs(v *slurm.View) {
	marks := make(map[int64]string, len(v.Jobs))
	for i := range v.Jobs {
		marks[v.Jobs[i].ID] = v.Jobs[i].State + strings.Join(v.Jobs[i].Flags, "+")
	}
	full := !c.Site.PollsLazily || c.LastReadJobs == nil || v.At.Sub(c.lastFullListAt).Abs() >= fullListInterval || c.isFullListRequested
	v.IsFullRead, c.isFullListRequested = full, false
	if full {
		c.LastReadJobs, c.lastFullListAt = map[int64]slurm.Job{}, v.At
	}
	next := make(map[int64]slurm.Job, len(v.Jobs))
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if old, have := c.LastReadJobs[j.ID]; have && c.lastStateByJob[j.ID] == marks[j.ID] && c.freshPollsLeftByJob[j.ID] == 0 {
			*j = old
		} else {
			v.RereadJobs = append(v.RereadJobs, j.ID)
		}
		next[j.ID] = *j
		if c.freshPollsLeftByJob[j.ID]--; c.freshPollsLeftByJob[j.ID] <= 0 {
			delete(c.freshPollsLeftByJob, j.ID)
		}
	}
	if !full {
		c.rereadUnlistedJobs(v, next)
	}
	c.LastReadJobs, c.lastStateByJob = next, marks
}

// rereadUnlistedJobs asks for jobs that are no longer listed one by one: only that proves
// that they are gone.
func (c *faultyCluster) rereadUnlistedJobs(v *slurm.View, next map[int64]slurm.Job) {
	for id, old := range c.LastReadJobs {
		if _, listed := next[id]; listed || old.IsDone() {
			continue
		}
		if j, err := c.world.Job(id); err == nil && !c.isJobHidden(&j, true) {
			next[id] = c.Site.ShownJob(j)
			v.Jobs = append(v.Jobs, next[id])
		}
	}
	slices.SortFunc(v.Jobs, func(a, b slurm.Job) int { return int(a.ID - b.ID) })
}
