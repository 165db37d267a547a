package through

import (
	"fmt"
	"time"
)

// standstill notices that nothing happens any more.
type standstill struct {
	sum   int
	since time.Time
}

// stuck reports an error when nothing has arrived, started or ended for longer
// than any job runs.
func (r *runner) stuck(sum int) error {
	now := r.w.Now()
	if sum != r.still.sum || r.w.Open() == 0 {
		r.still = standstill{sum, now}
		return nil
	}
	if now.Sub(r.still.since) < r.limit+patience {
		return nil
	}
	for _, j := range r.w.Jobs() {
		if j.Pending() {
			return fmt.Errorf("job %d waits for ever: nothing has happened for %v (Slurm's reason: %s)", r.jobs[r.ids[j.ID]].ID, now.Sub(r.still.since), j.Reason)
		}
	}
	return fmt.Errorf("nothing has happened for %v", now.Sub(r.still.since))
}
