package reconcile

import (
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm"
)

// StoredRun is a run as a row of job_runs.
type StoredRun struct {
	RunKey
	Arrive                          time.Time
	SLUID, Name, User, Account, QOS string
	Partition, State, Reason        string
	ArrayJob, ArrayTask             int64
	Limit                           time.Duration
	GPUs                            int
	Started, Ended                  *time.Time
	Closed, Exact                   bool  // over; by Slurm's word, not inferred
	FromDBD                         bool  // stands as slurmdbd has it
	Digest                          int64 // of the record that showed it; 0: write it again
}

// RunKey identifies a run of a job within a cluster.
type RunKey struct {
	Job, Submit int64
	Restarts    int
}

func (r *StoredRun) slurmRun() slurm.Run {
	return slurm.Run{Job: r.Job, Submit: r.Submit, Restarts: r.Restarts, SLUID: r.SLUID}
}

// IsSame reports whether both rows say the same.
func (r *StoredRun) IsSame(o *StoredRun) bool {
	a, b := *r, *o
	if !a.Arrive.Equal(b.Arrive) || !isSameTime(a.Started, b.Started) || !isSameTime(a.Ended, b.Ended) {
		return false
	}
	a.Arrive, a.Started, a.Ended = b.Arrive, b.Started, b.Ended
	return a == b
}

// HasSameUserAndPartition reports whether segments of both carry the same names.
func (r *StoredRun) HasSameUserAndPartition(o *StoredRun) bool {
	return r.User == o.User && r.Account == o.Account && r.Partition == o.Partition
}

func isSameTime(a, b *time.Time) bool { return value.TimeOrZero(a).Equal(value.TimeOrZero(b)) }
