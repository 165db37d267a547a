package bridge

import (
	"time"

	"fairbridge/policy"
)

// DeviceUse is what probes saw of one job on one GPU or MIG slice. What the driver does not
// tell is unknown, never zero.
type DeviceUse struct {
	Node, Device string  // the node, and the driver's UUID of the device
	Neighbours   []int64 // other jobs on it, ascending
	// Busy and MemBusy are the shares of the time in which the job computes and uses the memory, 0..1: alone those of
	// the device, beside others those of its own processes, where the driver tells them apart.
	Busy, MemBusy policy.OptionalValue
	MemMB         policy.OptionalValue // memory of the device that its processes hold, MiB
	// UsedMB and TotalMB are the device's memory in use by all jobs, and what there is, MiB.
	UsedMB, TotalMB policy.OptionalValue
}

// ProfileReport is what one look at the probes adds to what is known of a job on its GPUs.
type ProfileReport struct {
	Job   policy.JobID
	User  string
	Class string    // SpeedClass of the job
	At    time.Time // of the look
	MemMB int64     // most it holds of one device, MiB; 0: not known
	// Busy and MemBusy are the means of its devices; known only of a job that was alone on all of them.
	Busy, MemBusy policy.OptionalValue
}

// Profile is what was measured of a job on one of its GPUs, running alone, or of its class.
type Profile struct {
	MemMB         int64                // most memory, MiB; 0: not known
	Busy, MemBusy policy.OptionalValue // means of the looks, 0..1
	Source        string               // "measured": of the job itself; "class": of other jobs of its user and class
}

// NeighbourLook is one look at a job beside the neighbours it has now. What cannot be seen is unknown.
type NeighbourLook struct {
	At         time.Time            // by Slurm's clock
	Neighbours []int64              // on any of its GPUs, ascending; in all looks the same
	Busy       policy.OptionalValue // mean share of the time in which it computes itself, 0..1
	MemShare   policy.OptionalValue // of the fullest of its GPUs what all jobs on it use of the memory, 0..1
	Speed      *policy.SpeedPoint   // its newest report, if it came since it has these neighbours; nil: none
	SpeedAt    time.Time            // when that came; zero: none
}

// Separation is what was found of jobs that share GPUs and hurt each other.
type Separation struct {
	Jobs   []int64 // all of them that are known, ascending
	Leaves int64   // the one that is to leave; 0: none may
	For    int64   // the one that it leaves for: the one that is hurt, or that has the most right to stay
	Why    string  // what was measured
	// KeptReason says why none leaves; "" when one does.
	KeptReason string
}
