package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// setAside is an administrator who reserves some nodes, or all, from some time
// ahead: for maintenance or for others.
func (t *trial) setAside(r *rand.Rand) {
	all := t.w.Nodes()
	x := sim.Reservation{Name: fmt.Sprint("r", r.IntN(3)), From: t.w.Now().Add(time.Duration(r.IntN(300)) * time.Minute).Truncate(time.Second)}
	for i, first := 1+r.IntN(len(all)), r.IntN(len(all)); i > 0; i-- {
		x.Nodes = append(x.Nodes, all[(first+i)%len(all)].Name)
	}
	x.To = x.From.Add(time.Duration(5+r.IntN(60)) * time.Minute)
	if r.IntN(2) == 0 {
		x.Flags = append(x.Flags, "MAINT")
	}
	if r.IntN(5) == 0 {
		x.Flags = append(x.Flags, "DAILY")
	}
	_ = t.w.Reserve(x)
}

// giveUp is one who ends a reservation, or calls it off.
func (t *trial) giveUp(r *rand.Rand) { t.w.Unreserve(fmt.Sprint("r", r.IntN(3))) }

// maxUnread is how long reservations that were read last may serve for stops.
const maxUnread = 10 * time.Minute

// unreserved makes a view without the reservations: those read last stay.
func (c *wire) unreserved(v *slurm.View) {
	if c.weather.is(NoReservations, c.cycle) {
		v.Unreserved = "slurmctld gives no reservations"
		v.Reservations, v.ReservedAt = c.aside, c.asideAt
		return
	}
	c.aside, c.asideAt = v.Reservations, v.At
}

// reaches names a reservation of the node into which a run from now on reaches, by
// its time limit and by what the daemon read last; "" when there is none.
func (s *send) reaches(limit time.Duration, node string) string {
	now := s.p.truth.At
	for i := range s.p.aside {
		x := &s.p.aside[i]
		over := !x.End.IsZero() && !x.End.After(now)
		if !over && slices.Contains(x.Nodes.Names, node) && (limit == 0 || x.Start.Before(now.Add(limit))) {
			return fmt.Sprintf("%s of %s at %s", x.Name, node, stamp(x.Start))
		}
	}
	return ""
}

// I21: no job is started by our node list, and none stopped for it, where its time
// limit reaches into a reservation; none is stopped that could not start again
// before it, nor any while it is not known what is reserved.
func (s *send) reserved() string {
	switch {
	case s.raced:
	case s.e.Kind == slurm.Require && !s.restores():
		return s.startsAside()
	case s.e.Kind == slurm.Requeue && s.row != nil && s.row.Before.Stop != nil:
		return s.stopsAside(s.row.Before.Stop.For)
	}
	return ""
}

func (s *send) startsAside() string {
	own := s.b.marks[Required].owner
	for _, n := range s.e.Nodes {
		if x := s.reaches(s.j.Limit, n); x != "" && !contains(strings.Split(own, ","), n) {
			return fmt.Sprintf("its limit of %v reaches into %s", s.j.Limit, x)
		}
	}
	return ""
}

func (s *send) stopsAside(to int64) string {
	if old := s.w.Now().Sub(s.p.asideAt); old > maxUnread+interval {
		return fmt.Sprintf("what is reserved was read %v ago", old)
	}
	last, back := "", false
	for i := range s.p.truth.Nodes {
		x := s.reaches(s.j.Limit, s.p.truth.Nodes[i].Name)
		back, last = back || x == "", last+x
	}
	if !back {
		return fmt.Sprintf("with its limit of %v it could not start again before %s", s.j.Limit, last)
	}
	b, ok := s.p.model[to]
	if !ok || to == s.j.ID {
		return ""
	}
	free := s.free(&b, to, func(node string) bool { return s.reaches(b.Limit, node) == "" })
	if need := s.asks(&b); free < need {
		return fmt.Sprintf("job %d has a limit of %v and wants %d GPUs: %d would be free on nodes that are not set aside within it", to, b.Limit, need, free)
	}
	return ""
}

// free counts the GPUs that the job would find on such nodes once its victims are
// gone, by what Slurm was when the daemon looked.
func (s *send) free(b *slurm.Job, to int64, on func(node string) bool) int {
	free := 0
	for i := range s.p.truth.Nodes {
		n := &s.p.truth.Nodes[i]
		used, err := slurm.ParseTRES(n.TRESUsed)
		if err == nil && n.State != "DOWN" && len(n.Flags) == 0 && !contains(b.Excluded.Names, n.Name) && on(n.Name) {
			free += s.GPUs - used.GPUs()
		}
	}
	leaving := s.victims(to)
	for i := range s.p.truth.Jobs { // what cleans up is free in a moment
		if j := &s.p.truth.Jobs[i]; j.Flag("COMPLETING") {
			leaving = append(leaving, *j)
		}
	}
	for i := range leaving {
		hosts := leaving[i].Nodes.Names
		for _, n := range hosts {
			if on(n) {
				free += (gpusOf(&leaving[i]) + len(hosts) - 1) / len(hosts)
			}
		}
	}
	return free
}

// I22: nobody is stopped while a job of the partition that another was stopped for
// has not started three intervals after that took effect, for half an hour at most.
func (s *send) inVain() string {
	if s.e.Kind != slurm.Requeue || s.late {
		return ""
	}
	now := s.p.truth.At
	for i := range s.stops {
		x := &s.stops[i]
		b, v := s.p.truth.Job(x.to), s.p.truth.Job(x.job)
		since := now.Sub(x.took)
		switch {
		case b == nil || !b.Pending() || b.Held || b.Restarts != x.restarts || x.to == x.job || s.unknowable(x.at):
		case since <= 4*interval || s.w.Now().Sub(x.at) >= 30*time.Minute-s.Gate.Skew: // a cycle to see that it took effect; clocks differ
		case v != nil && v.Flag("COMPLETING") && since <= 10*time.Minute:
		default:
			return fmt.Sprintf("job %d was stopped for job %d %v ago, which has not started (%s)", x.job, x.to, since, b.Reason)
		}
	}
	return ""
}
