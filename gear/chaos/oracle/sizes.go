package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// I23: the number of GPUs is changed only of single jobs on one node whose owner declared a range, to
// a number in it, and their type only to one that he accepts; a run is requeued for other GPUs only once it
// lasted twenty times what that costs.
func checkDeclaredSize(s *sendContext) string {
	resizes := s.Edit.Kind == slurm.EditRequeue && s.Edit.Value > 0
	if s.wasChangedAfterReread || !resizes && (s.Edit.Kind != slurm.EditSetGPUs || s.mayGiveBack() || s.isLostSize()) {
		return ""
	}
	switch {
	case s.job.ArrayJobID != 0:
		return "it is of an array"
	case s.job.GresPerNode.Text == "" || s.job.NodeCount > 1 || s.job.Exclusive:
		return fmt.Sprintf("it asks for %q per node on %d nodes", s.job.GresPerNode.Text, s.job.NodeCount)
	case s.Edit.Value > int64(s.oracle.Site.GPUsPerNode):
		return fmt.Sprintf("a node has %d GPUs", s.oracle.Site.GPUsPerNode)
	case resizes && s.now.Sub(s.job.Start) < 20*restartCost:
		return fmt.Sprintf("it ran %v", s.now.Sub(s.job.Start))
	}
	return s.checkDeclared()
}

// checkDeclared says what the owner of the job did not leave to us.
func (s *sendContext) checkDeclared() string {
	low, high, types := declaredSizes(s.job.Comment)
	count, ownType, _ := strings.Cut(s.jobEntry.stateByField[FieldGPUs].ownersValue, " ")
	sameCount := count == strconv.FormatInt(s.Edit.Value, 10)
	switch {
	case s.Edit.Text != "" && s.Edit.Text != ownType && !slices.Contains(types, s.Edit.Text):
		return fmt.Sprintf("its owner asks for %q and said %q", ownType, s.job.Comment)
	case sameCount && s.Edit.Text != "" && s.Edit.Text != ownType:
		return ""
	case low == 0 || s.Edit.Value < low || s.Edit.Value > high:
		return fmt.Sprintf("its owner said %q", s.job.Comment)
	}
	return ""
}

// restartCost is what jobs that opted in say that a restart costs them.
const restartCost = 5 * time.Second

// isLostSize reports whether what the owner asked is not what the daemon can know.
func (s *sendContext) isLostSize() bool {
	m := s.jobEntry.stateByField[FieldGPUs]
	return m.isLostByRestore || m.isLostToLate || m.isLostUnread || m.lackedAnswer || m.isWrittenLate
}

// declaredSizes is what the owner of a job let us choose, 0 and none where that is nothing.
func declaredSizes(comment string) (low, high int64, types []string) {
	said := wordsOfOwner(comment)
	low, _ = strconv.ParseInt(said["min"], 10, 64)
	high, _ = strconv.ParseInt(said["max"], 10, 64)
	return low, high, strings.Split(said["types"], "+")
}

// wordsOfOwner returns the values of the options in a job's comment, by name.
func wordsOfOwner(comment string) map[string]string {
	out := map[string]string{}
	for _, item := range strings.Split(comment, ",") {
		word, value, _ := strings.Cut(strings.TrimPrefix(item, "fairbridge:"), "=")
		out[word] = value
	}
	return out
}
