package oracle

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// longestGap is the longest time without a reading of a GPU in which it still counts as measured.
const longestGap = 5 * time.Minute

// I26: a job is stopped because its GPUs do no work only where its partition says so and its owner did, and when all of them
// did none for all of the time, by probes that measured, for another job that waits. What it did is told by the site, not by
// what the daemon believes.
func checkIdleStop(s *sendContext) string {
	if !s.isIdleStop() || s.IsLate {
		return ""
	}
	after, at := s.oracle.Site.StopIdleAfter, s.SentBy.TrueView.At
	switch {
	case after <= 0:
		return "no job of this partition is stopped for that"
	case !s.wasChangedAfterReread && !strings.Contains(s.job.Comment, "idle=requeue"):
		return "its owner did not allow that"
	case !s.wasChangedAfterReread && strings.Contains(s.job.Comment, "service="):
		return "it waits for requests"
	case s.ledgerRow.Before.Stop.Beneficiary == s.job.ID:
		return "it is for no other job"
	case at.Sub(s.SentBy.StartedAt) < after-time.Minute: // its first sample may be a minute old
		return fmt.Sprintf("the daemon has looked for %v of %v only", at.Sub(s.SentBy.StartedAt), after)
	}
	if idle := at.Sub(s.oracle.Site.IdleSince(s.job.ID, s.job.Start, at)); idle < after {
		return fmt.Sprintf("its GPUs did no work for %v, the least is %v", idle, after)
	}
	return checkMeasured(s, at, after)
}

// isIdleStop reports whether the edit stops a job, or warns it, because its GPUs do no work.
func (s *sendContext) isIdleStop() bool {
	isStop := s.Edit.Kind == slurm.EditRequeue || s.Edit.Kind == slurm.EditWarn
	return isStop && s.ledgerRow != nil && s.ledgerRow.Before.Stop != nil && s.ledgerRow.Before.Stop.Idle > 0
}

// checkMeasured says which node's probe measured nothing for longer than a gap may be, in the time before a moment.
func checkMeasured(s *sendContext, at time.Time, span time.Duration) string {
	for _, node := range s.job.Nodes.Names {
		number, err := strconv.Atoi(strings.TrimPrefix(node, "n"))
		if err != nil {
			return "it runs on no node of the site: " + node
		}
		for t := at; t.After(at.Add(-span)); t = t.Add(-site.CycleInterval) {
			silent := t.Sub(s.oracle.Site.SilentSince(number, t))
			if silent > longestGap+site.CycleInterval || t.Equal(at) && silent > time.Minute {
				return fmt.Sprintf("the probe of %s measured nothing for %v", node, silent)
			}
		}
	}
	return ""
}
