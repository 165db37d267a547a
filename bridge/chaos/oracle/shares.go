package oracle

import (
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// I24: the GPU of a job becomes shards only if its owner opted in, while it waits bound to the node; never
// beside shards of somebody whose job does not accept it, as far as Slurm shows who holds some there.
func checkSharedGPU(s *sendContext) string {
	if s.wasChangedAfterReread || s.Edit.Kind != slurm.EditSetShards {
		return ""
	}
	opted, others := declaredSharing(s.job.Comment)
	switch {
	case !opted:
		return fmt.Sprintf("its owner said %q", s.job.Comment)
	case s.job.State != "PENDING" || s.job.ArrayJobID != 0 || s.job.NodeCount > 1 || s.job.GresPerJob.Text != "":
		return fmt.Sprintf("it is %s, on %d nodes", s.job.State, s.job.NodeCount)
	case len(s.Edit.Nodes) != 1 || !slices.Equal(s.job.RequiredNodes.Names, s.Edit.Nodes):
		return fmt.Sprintf("it is bound to %q, not to %q", s.job.RequiredNodes.Names, s.Edit.Nodes)
	}
	for i := range s.SentBy.TrueView.Jobs {
		o := &s.SentBy.TrueView.Jobs[i]
		if !o.IsRunning() || !slices.Contains(o.Nodes.Names, s.Edit.Nodes[0]) || !strings.Contains(o.GresPerNode.Text, "shard") {
			continue
		}
		itOpted, itsOthers := declaredSharing(o.Comment)
		if !itOpted || o.User != s.job.User && !(others && itsOthers) {
			return fmt.Sprintf("job %d of %s, who said %q, holds shards there", o.ID, o.User, o.Comment)
		}
	}
	return ""
}

// declaredSharing is whether the owner of a job accepts neighbours, and those of other users.
func declaredSharing(comment string) (opted, others bool) {
	for _, item := range strings.Split(comment, ",") {
		switch strings.TrimPrefix(item, "fairbridge:") {
		case "shareable":
			opted = true
		case "shareable=others":
			opted, others = true, true
		}
	}
	return opted, others
}
