package oracle

import (
	"fmt"

	"fairbridge/bridge/slurm"
)

// I27: a run is requeued only if Slurm, as it was when the daemon looked, would let it start again: its whole
// time limit fits before its deadline, as many nodes are up as it runs on, and nothing is left that it depends
// on.
func checkCanRestart(s *sendContext) string {
	isStop := s.ledgerRow != nil && s.ledgerRow.Before.Stop != nil
	if s.Edit.Kind != slurm.EditRequeue || s.wasChangedAfterReread || !isStop {
		return ""
	}
	view, up, deadline := s.SentBy.TrueView, 0, s.job.Deadline
	if end := view.At.Add(s.job.TimeLimit); !deadline.IsZero() && end.After(deadline) {
		return fmt.Sprintf("its limit of %v does not fit before its deadline %s", s.job.TimeLimit, formatTime(deadline))
	}
	for i := range view.Nodes {
		if n := &view.Nodes[i]; n.State != "DOWN" && len(n.Flags) == 0 {
			up++
		}
	}
	if need := len(s.job.Nodes.Names); up < need {
		return fmt.Sprintf("it needs %d nodes, and %d are up", need, up)
	}
	if s.job.Dependency.Text != "" {
		return "it would wait for " + s.job.Dependency.Text
	}
	return ""
}
