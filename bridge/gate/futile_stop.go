package gate

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// maxBeneficiaryStartIntervals is how many intervals a job that another was stopped for may take to
// start once the stop took effect, for which there is one more.
const maxBeneficiaryStartIntervals = 3

// findFutileStop returns the first stop that a job of this partition was given room by
// and did not start, and until when that keeps others from being stopped; nil
// when there is none. It is read from what was sent and what the view shows, so
// that it outlasts a restart, and ends when the job starts, leaves, or the pause
// is over. It asks for no reason: whatever keeps the job, more stops for it or
// its like may be as futile. That holds too if its owner no longer asks for GPUs.
func (f *facts) findFutileStop() (s *bridge.Stop, until time.Time) {
	for i := range f.RecentStops {
		x := &f.RecentStops[i]
		if x.SentAt.IsZero() || !f.isBeneficiaryStillWaiting(x) {
			continue
		}
		end := x.SentAt.Add(f.Budgets.StopPause)
		if f.clusterTime.Before(end) && (s == nil || end.After(until)) {
			s, until = x, end
		}
	}
	return s, until
}

// isBeneficiaryStillWaiting reports whether the job that was to get the room has been waiting
// in spite of it for too long.
func (f *facts) isBeneficiaryStillWaiting(s *bridge.Stop) bool {
	since := f.clusterTime.Sub(s.SentAt)
	j, v := f.View.Job(s.Beneficiary), f.View.Job(s.Job)
	switch {
	case since <= (maxBeneficiaryStartIntervals+1)*f.CycleInterval || j == nil || !j.IsInPartition(f.Partition):
		return false
	case !j.IsPending() || j.Submit.After(s.SentAt.Add(2*f.CycleInterval)): // it ran, and was requeued since
		return false
	case s.Beneficiary == s.Job: // moved: Slurm lets it start only after its requeue delay
		return !j.EligibleTime.After(f.clusterTime) || since > 10*time.Minute
	case v != nil && v.HasFlag("COMPLETING"): // the room is not there yet
		return since > 10*time.Minute
	}
	return true
}

// checkStopPause says why no job may be stopped (I22).
func (f *facts) checkStopPause() *denial {
	s, until := f.findFutileStop()
	if s == nil {
		return nil
	}
	why := fmt.Sprintf("job %s was stopped for job %s at %s, which has not started", f.Snapshot.JobLabel(policy.JobID(s.Job)), f.Snapshot.JobLabel(policy.JobID(s.Beneficiary)), formatTime(s.SentAt))
	if j := f.View.Job(s.Beneficiary); j != nil && j.Reason != "" {
		why += " (Slurm: " + j.Reason + ")"
	}
	return deny(invariant.StopsInVain, "%s: no job of this partition is stopped until it does, or until %s", why, formatTime(until))
}
