package daemon

import (
	"time"

	"fairbridge/policy"
)

// deadlineKeeper remembers which deadlines of running jobs the database has. The zero value remembers none, so that after
// a start all are told to it once.
type deadlineKeeper map[policy.JobID]time.Time

// storeDeadlines stores which running jobs of a partition have another deadline than before.
func (k *estimateKeeper) storeDeadlines(s *policy.Snapshot, store func([]*policy.Job) error) error {
	changed, next := k.deadlines.takeChanged(s)
	if len(changed) > 0 {
		if err := store(changed); err != nil {
			return err
		}
	}
	k.deadlines = next
	return nil
}

// takeChanged returns the running jobs whose deadline is not the remembered one, and what is to be remembered of all. Of a
// requeued job without one nothing is known: an owner's deadline before its last submission does not count.
func (k deadlineKeeper) takeChanged(s *policy.Snapshot) (changed []*policy.Job, next deadlineKeeper) {
	next = deadlineKeeper{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() || j.Deadline.IsZero() && !j.Submit.Equal(j.Arrive) {
			continue
		}
		if known, ok := k[j.ID]; !ok || !known.Equal(j.Deadline) {
			changed = append(changed, j)
		}
		next[j.ID] = j.Deadline
	}
	return changed, next
}
