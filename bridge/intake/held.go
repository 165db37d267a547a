package intake

import (
	"slices"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// heldReason says why a pending job cannot start whatever we decide, in words for
// its owner; "" when it can.
func heldReason(j *slurm.Job, demand error) string {
	switch {
	case j.UntrustedReason != "":
		return "its record cannot be read: " + j.UntrustedReason
	case demand != nil:
		return "its request cannot be read: " + demand.Error()
	case j.IsHeldByAdmin():
		return "held by an administrator"
	case j.IsHeld:
		return "held by its owner"
	case j.HetJobID != 0:
		return "part of a heterogeneous job, which Slurm starts as a whole"
	case j.Reservation != "":
		return "waits in reservation " + j.Reservation + ", which Slurm serves itself"
	case j.Cron != "":
		return "a cron job, which Slurm starts itself"
	case j.FederationOrigin != "":
		return "a federated job, which Slurm starts itself"
	case j.WaitsForDependency():
		return "waits for " + j.Dependency.Text
	case j.IsKeptBack():
		return "Slurm keeps it back (" + j.Reason + ")"
	}
	return ""
}

// jobsWaitedFor are the jobs that a waiting job waits for by its dependency, sorted.
func jobsWaitedFor(j *slurm.Job) []policy.JobID {
	if !j.IsPending() || len(j.Dependency.JobIDs) == 0 {
		return nil
	}
	ids := make([]policy.JobID, len(j.Dependency.JobIDs))
	for i, id := range j.Dependency.JobIDs {
		ids[i] = policy.JobID(id)
	}
	slices.Sort(ids)
	return ids
}
