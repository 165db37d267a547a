package chaos

import (
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/slurm"
)

// falsifyView makes a view show less, or another time, than is true.
func (c *wire) falsifyView(v *slurm.View) {
	is := func(k event.Kind) bool { return c.faults.isActive(k, c.cycle) }
	v.Jobs = slices.DeleteFunc(v.Jobs, func(j slurm.Job) bool { return is(event.EmptyList) || c.isHidden(&j, false) })
	if n := uint64(len(v.Jobs)); is(event.JobMissing) && n > 0 {
		i := int(c.faults.roll[event.JobMissing] % n)
		v.Jobs = slices.Delete(v.Jobs, i, i+1)
	}
	if n := len(v.Nodes); is(event.NodesCut) {
		v.Nodes = v.Nodes[:n-n/2]
	}
	if is(event.NoPartitions) {
		v.Partitions = nil
	}
	c.dropReservations(v)
	v.At = v.At.Add(c.faults.skew(event.ClockAhead) + c.faults.skew(event.ClockBehind))
}

// dropReservations makes a view without the reservations: those read last stay.
func (c *wire) dropReservations(v *slurm.View) {
	if c.faults.isActive(event.NoReservations, c.cycle) {
		v.StaleReservationsReason = "slurmctld gives no reservations"
		v.Reservations, v.ReservationsAt = c.Reserved, c.ReservedAt
		return
	}
	c.Reserved, c.ReservedAt = v.Reservations, v.At
}

// fullEvery is the time between full lists where polls are lazy.
const fullEvery = 5 * time.Minute

// showStale shows jobs as they were last read, unless their state moved or we wrote to
// them, as the client does that reads jobs/state between full lists: it shows no
// edits.
func (c *wire) showStale(v *slurm.View) {
	marks := make(map[int64]string, len(v.Jobs))
	for i := range v.Jobs {
		marks[v.Jobs[i].ID] = v.Jobs[i].State + strings.Join(v.Jobs[i].Flags, "+")
	}
	full := !c.Site.Lazy || c.Jobs == nil || v.At.Sub(c.fullAt).Abs() >= fullEvery
	v.IsFullRead = full
	if full {
		c.Jobs, c.fullAt = map[int64]slurm.Job{}, v.At
	}
	next := make(map[int64]slurm.Job, len(v.Jobs))
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if old, have := c.Jobs[j.ID]; have && c.marks[j.ID] == marks[j.ID] && c.touched[j.ID] == 0 {
			*j = old
		}
		next[j.ID] = *j
		if c.touched[j.ID]--; c.touched[j.ID] <= 0 {
			delete(c.touched, j.ID)
		}
	}
	if !full {
		c.askUnlisted(v, next)
	}
	c.Jobs, c.marks = next, marks
}

// askUnlisted asks for jobs that are no longer listed one by one: only that proves
// that they are gone.
func (c *wire) askUnlisted(v *slurm.View, next map[int64]slurm.Job) {
	for id, old := range c.Jobs {
		if _, listed := next[id]; listed || old.IsDone() {
			continue
		}
		if j, err := c.world.Job(id); err == nil && !c.isHidden(&j, true) {
			next[id] = c.Site.Shown(j)
			v.Jobs = append(v.Jobs, next[id])
		}
	}
	slices.SortFunc(v.Jobs, func(a, b slurm.Job) int { return int(a.ID - b.ID) })
}
