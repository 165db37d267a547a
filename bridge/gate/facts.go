package gate

import (
	"cmp"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// facts is the input of a filter with what is looked up in it often.
type facts struct {
	CommonInput
	clusterTime         time.Time     // Slurm's clock
	snapshotIndexByJob  map[int64]int // of the snapshot
	dependantCountByJob map[int64]int // jobs waiting for a job
}

func newFacts(s CommonInput) facts {
	f := facts{CommonInput: s, clusterTime: s.View.At, snapshotIndexByJob: map[int64]int{}, dependantCountByJob: map[int64]int{}}
	for i := range s.Snapshot.Jobs {
		f.snapshotIndexByJob[int64(s.Snapshot.Jobs[i].ID)] = i
	}
	for i := range s.View.Jobs {
		j := &s.View.Jobs[i]
		if j.IsDone() {
			continue
		}
		for _, id := range j.Dependency.JobIDs {
			f.dependantCountByJob[id]++
		}
	}
	return f
}

// snapshotJob returns the snapshot's job, or nil.
func (f *facts) snapshotJob(id int64) *policy.Job {
	i, ok := f.snapshotIndexByJob[id]
	if !ok {
		return nil
	}
	return &f.Snapshot.Jobs[i]
}

// weakestModeOfJob returns the weakest mode of the job's partitions; Off without one.
func (f *facts) weakestModeOfJob(j *slurm.Job, top bridge.Mode) bridge.Mode {
	if len(j.Partitions) == 0 {
		return bridge.ModeOff
	}
	for _, p := range j.Partitions {
		if m, ok := f.ModeByPartition[p]; !ok {
			return bridge.ModeOff
		} else if !m.Allows(top) {
			top = m
		}
	}
	return top
}

// isJobInPartition reports whether the job is this partition's business.
func (f *facts) isJobInPartition(j *slurm.Job) bool {
	return managedPartition(f.ModeByPartition, j) == f.Partition
}

// managedPartition is the one whose business the job is, "" where none is.
func managedPartition(modeByPartition map[string]bridge.Mode, j *slurm.Job) string {
	for _, p := range j.Partitions {
		if _, ok := modeByPartition[p]; ok {
			return p
		}
	}
	return ""
}

// checkNotExempt says why nothing at all may be done to the job (I1, I15).
func (f *facts) checkNotExempt(j *slurm.Job) *denial {
	if n := checkJobWritable(j); n != nil {
		return n
	}
	switch {
	case j.Reservation != "":
		return deny(invariant.ExemptJobs, "it belongs to reservation %s", j.Reservation)
	case !f.isJobInPartition(j):
		return deny(invariant.ExemptJobs, "partition %s is not managed from here", j.PartitionText())
	case f.LeftAloneReasonByUser[j.User] != "":
		return deny(invariant.OnlyOurValues, "%s", f.LeftAloneReasonByUser[j.User])
	case f.LeftAloneByJob[j.ID] != nil:
		return deny(invariant.OnlyOurValues, "%s", f.LeftAloneByJob[j.ID].LeftAloneText())
	}
	if why := f.Budgets.ExemptReason(j); why != "" {
		return deny(invariant.ExemptJobs, "%s", why)
	}
	return nil
}

// checkJobWritable says why not even a value of ours may be taken back.
func checkJobWritable(j *slurm.Job) *denial {
	switch {
	case j.IsHeld || j.Priority == 0 && j.IsPending():
		return deny(invariant.HeldJobs, "it is held (%s)", cmp.Or(j.Reason, "priority 0"))
	case j.UntrustedReason != "":
		return deny(invariant.ExemptJobs, "its record cannot be read: %s", j.UntrustedReason)
	case j.HetJobID != 0:
		return deny(invariant.ExemptJobs, "it is part of heterogeneous job %d", j.HetJobID)
	case j.FederationOrigin != "":
		return deny(invariant.ExemptJobs, "it is a federated job of %s", j.FederationOrigin)
	case j.Cron != "":
		return deny(invariant.ExemptJobs, "it is a scrontab job")
	case j.IsDone() || j.HasFlag("COMPLETING"):
		return deny(invariant.ExemptJobs, "it is ending or has ended")
	}
	return nil
}

// newEditContext is what bounds are read from, without an edit.
func (f *facts) newEditContext(p *policy.Job, j *slurm.Job) actuator.EditContext {
	return actuator.EditContext{
		SlurmJob: j, SnapshotJob: p, Snapshot: f.Snapshot, Now: f.clusterTime, Budgets: &f.Budgets, View: f.View, Partition: f.Partition, HasExpiryTimer: f.HasExpiryTimer,
		LeasedTime: f.LeasedTimeByJob[j.ID], DependantCount: f.dependantCountByJob[j.ID] + f.dependantCountByJob[arrayIDUnlessOwn(j)],
	}
}

// arrayIDUnlessOwn returns the array's id where it is not the job's own, else 0.
func arrayIDUnlessOwn(j *slurm.Job) int64 {
	if j.ArrayJobID == j.ID {
		return 0
	}
	return j.ArrayJobID
}
