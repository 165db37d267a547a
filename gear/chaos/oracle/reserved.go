package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// maxReservationsAge is how long reservations that were read last may serve for stops.
const maxReservationsAge = 10 * time.Minute

// reachedReservation names a reservation of the node into which a run from now on reaches, by
// its time limit and by what the daemon read last; "" when there is none.
func (s *sendContext) reachedReservation(limit time.Duration, node string) string {
	now := s.SentBy.TrueView.At
	for i := range s.SentBy.LastReservations {
		x := &s.SentBy.LastReservations[i]
		over := !x.End.IsZero() && !x.End.After(now)
		if !over && slices.Contains(x.Nodes.Names, node) && (limit == 0 || x.Start.Before(now.Add(limit))) {
			return fmt.Sprintf("%s of %s at %s", x.Name, node, formatTime(x.Start))
		}
	}
	return ""
}

// I21: no job is started by our node list, and none stopped for it, where its time
// limit reaches into a reservation; none is stopped that could not start again
// before it, nor any while it is not known what is reserved.
func checkReservations(s *sendContext) string {
	switch {
	case s.wasChangedAfterReread:
	case s.Edit.Kind == slurm.EditRequireNodes && !s.mayGiveBack():
		return checkStartAvoidsReservation(s)
	case s.Edit.Kind == slurm.EditRequeue && s.ledgerRow != nil && s.ledgerRow.Before.Stop != nil:
		return checkStopAvoidsReservation(s, s.ledgerRow.Before.Stop.Beneficiary)
	}
	return ""
}

func checkStartAvoidsReservation(s *sendContext) string {
	own := s.jobEntry.stateByField[FieldRequiredNodes].ownersValue
	for _, n := range s.Edit.Nodes {
		if x := s.reachedReservation(s.job.TimeLimit, n); x != "" && !slices.Contains(strings.Split(own, ","), n) {
			return fmt.Sprintf("its limit of %v reaches into %s", s.job.TimeLimit, x)
		}
	}
	return ""
}

func checkStopAvoidsReservation(s *sendContext, to int64) string {
	if old := s.now.Sub(s.SentBy.ReservationsReadAt); old > maxReservationsAge+site.CycleInterval {
		return fmt.Sprintf("what is reserved was read %v ago", old)
	}
	last, back := "", false
	for i := range s.SentBy.TrueView.Nodes {
		x := s.reachedReservation(s.job.TimeLimit, s.SentBy.TrueView.Nodes[i].Name)
		back, last = back || x == "", last+x
	}
	if !back {
		return fmt.Sprintf("with its limit of %v it could not start again before %s", s.job.TimeLimit, last)
	}
	b, ok := s.SentBy.LastReadJobs[to]
	if !ok || to == s.job.ID {
		return ""
	}
	free := s.freeGPUs(&b, to, func(node string) bool { return s.reachedReservation(b.TimeLimit, node) == "" })
	if need := askedGPUCount(&b); free < need {
		return fmt.Sprintf("job %d has a limit of %v and wants %d GPUs: %d would be free on nodes that are not set aside within it", to, b.TimeLimit, need, free)
	}
	return ""
}

// freeGPUs counts the GPUs that the job would find on such nodes once its victims are
// gone, by what Slurm was when the daemon looked.
func (s *sendContext) freeGPUs(b *slurm.Job, to int64, on func(node string) bool) int {
	free, open := 0, map[string]bool{}
	for i := range s.SentBy.TrueView.Nodes {
		n := &s.SentBy.TrueView.Nodes[i]
		if n.TRESUsed.UnreadReason == "" && n.State != "DOWN" && len(n.Flags) == 0 && !slices.Contains(b.ExcludedNodes.Names, n.Name) && on(n.Name) {
			open[n.Name] = true
			free += s.oracle.Site.GPUsPerNode - n.TRESUsed.GPUCount()
		}
	}
	leaving := s.victims(to)
	for i := range s.SentBy.TrueView.Jobs { // what cleans up is free in a moment
		if j := &s.SentBy.TrueView.Jobs[i]; j.HasFlag("COMPLETING") {
			leaving = append(leaving, *j)
		}
	}
	free -= s.sharedGPUsKept(leaving, func(node string) bool { return open[node] })
	for i := range leaving {
		hosts := leaving[i].Nodes.Names
		for _, n := range hosts {
			if open[n] {
				free += (heldGPUCount(&leaving[i]) + len(hosts) - 1) / len(hosts)
			}
		}
	}
	return free
}
