package bridge

import (
	"fmt"
	"slices"

	"fairbridge/bridge/slurm"
)

// ExemptReason says why the configuration keeps us from touching the job, in words for its owner;
// "" when it does not.
func (b *Budgets) ExemptReason(j *slurm.Job) string {
	switch {
	case slices.Contains(b.ExemptUsers, j.User):
		return fmt.Sprintf("user %s is exempt", j.User)
	case slices.Contains(b.ExemptAccounts, j.Account):
		return fmt.Sprintf("account %s is exempt", j.Account)
	case slices.Contains(b.ExemptJobs, j.ID) || j.ArrayJobID != 0 && slices.Contains(b.ExemptJobs, j.ArrayJobID):
		return "the job is exempt"
	}
	for _, p := range j.Partitions {
		if slices.Contains(b.ExemptPartitions, p) {
			return fmt.Sprintf("partition %s is exempt", p)
		}
	}
	return ""
}
