package settings

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/accounting/runs"
	"fairbridge/accounting/stores"
)

// Retention says how long rows of the database are kept, beside snapshots and readings (Database). 0: for good.
type Retention struct {
	Decisions   time.Duration `yaml:"decisions"`    // cycles, decisions, estimates, checks of the guard, reminders, what was learnt of jobs
	Changes     time.Duration `yaml:"changes"`      // in Slurm that are settled, and what operators did
	WaitingJobs time.Duration `yaml:"waiting_jobs"` // that never started
	Jobs        time.Duration `yaml:"jobs"`         // their runs, and what was measured of each; sums by day stay
}

func newDefaultRetention() Retention {
	r := stores.DefaultRetention()
	return Retention{Decisions: r.Cycles, Changes: r.Intents, WaitingJobs: r.NeverStartedJobs, Jobs: r.Jobs}
}

// leastRetention is how long the gate, the guard and canaries look back, with room to spare; leastJobs is how late the record of a day
// may change and be summed up anew.
const (
	leastRetention = 30 * 24 * time.Hour
	leastJobs      = 90 * 24 * time.Hour
)

// findProblems checks how long is kept: no shorter than is needed. Usage counts for so many half-lives.
func (r *Retention) findProblems(halfLife time.Duration) []error {
	all := []error{
		checkRetention("decisions", r.Decisions, leastRetention, "the harm guard and canaries look back"),
		checkRetention("changes", r.Changes, leastRetention, "the gate counts stops and leases by them"),
		checkRetention("waiting_jobs", r.WaitingJobs, leastJobs, "demand is summed up from them, also when a long run changes late"),
		checkRetention("jobs", r.Jobs, max(leastJobs, runs.MaxHalfLives*halfLife+24*time.Hour), fmt.Sprintf("shares rest on the usage of %d half-lives (database.half_life)", runs.MaxHalfLives)),
	}
	return slices.DeleteFunc(all, func(err error) bool { return err == nil })
}

func checkRetention(key string, kept, least time.Duration, why string) error {
	if kept == 0 || kept >= least && kept <= maxRetention {
		return nil
	}
	return fmt.Errorf("%s: %v is not between %v and %v, and not 0 (for good): %s", key, kept, least, maxRetention, why)
}
