package policy

import "slices"

// SharedMemMarginMB is how much memory of a GPU stays free beside what its jobs are known to use:
// two jobs use up to a gigabyte more together than their sum alone (1,388 pairs published with
// Lucid, ASPLOS 2023).
const SharedMemMarginMB = 1024

// DefaultJobsPerGPU is how many jobs may run on one GPU where all of them accept
// neighbours and none says more.
const DefaultJobsPerGPU = 2

// Sharing is what is known of a job beside neighbours on its GPUs, and on which terms its owner
// accepts them. It counts for jobs that are Shareable; of one that has none, nothing is known.
// Amounts are those of one of its GPUs, running alone.
type Sharing struct {
	// JobsPerGPU is how many jobs may run on one of its GPUs, itself included; 0: DefaultJobsPerGPU.
	JobsPerGPU int `json:"jobs,omitempty"`
	// AcceptsOtherUsers says that a neighbour may be another user's job.
	AcceptsOtherUsers bool `json:"others,omitempty"`
	// IsOpportunistic says that it runs on what others leave: it counts to no quota, and is the
	// one that leaves when a neighbour is hurt or its GPUs are called back.
	IsOpportunistic bool `json:"opportunistic,omitempty"`

	// Apart are jobs that it is not to share a GPU with: they were separated not long ago.
	Apart []JobID `json:"apart,omitempty"`

	MemMB     int64 `json:"mem_mb,omitempty"`  // most memory it uses, megabytes; 0: not known
	KeptMemMB int64 `json:"kept_mb,omitempty"` // of that, what it keeps between steps; 0: not known

	Utilisation OptionalValue `json:"busy,omitzero"` // share of the time in which the GPU computes, 0..1
	// UtilisationSigma is the standard error of Utilisation; 0: it is taken for exact.
	UtilisationSigma float64       `json:"busy_sigma,omitempty"`
	MemUtilisation   OptionalValue `json:"mem_busy,omitzero"` // share of the time in which its memory is read or written, 0..1

	// StageSeconds are, of one step, the seconds that it needs each kind of resource for, one
	// after another: storage and cores, then the GPU, then the network; nil: not known.
	StageSeconds []float64 `json:"stages,omitempty"`
	// StepSeconds is how long a step takes in all; 0: not known.
	StepSeconds float64 `json:"step,omitempty"`

	// Source says where the profile is from: declared, measured, class, belief (package policy/belief); "": declared.
	Source string `json:"source,omitempty"`
}

// clone returns a copy that shares nothing.
func (s *Sharing) clone() *Sharing {
	if s == nil {
		return nil
	}
	c := *s
	c.StageSeconds, c.Apart = slices.Clone(s.StageSeconds), slices.Clone(s.Apart)
	return &c
}

// UsedMemMB is the most memory the job is known to use on each of its GPUs; 0: not known, as without Sharing.
func (s *Sharing) UsedMemMB() int64 {
	if s == nil {
		return 0
	}
	return s.MemMB
}

// JobsPerGPU returns how many jobs may run on one of the job's GPUs, itself included.
func (j *Job) JobsPerGPU() int {
	switch {
	case !j.Shareable:
		return 1
	case j.Sharing == nil || j.Sharing.JobsPerGPU == 0:
		return DefaultJobsPerGPU
	}
	return j.Sharing.JobsPerGPU
}

// IsOpportunistic reports whether the job runs on what others leave.
func (j *Job) IsOpportunistic() bool { return j.Sharing != nil && j.Sharing.IsOpportunistic }

// AcceptsNeighbour reports whether the owners of both jobs accept the other beside theirs: of
// one user, or of any where both say so. Without Sharing an owner who says shareable accepts
// those of all users. Jobs that are kept apart are no neighbours, whatever their owners say.
func (j *Job) AcceptsNeighbour(other *Job) bool {
	if !j.Shareable || !other.Shareable || j.ID == other.ID || j.isKeptApart(other) || other.isKeptApart(j) {
		return false
	}
	return j.User == other.User || j.acceptsOtherUsers() && other.acceptsOtherUsers()
}

func (j *Job) isKeptApart(other *Job) bool {
	return j.Sharing != nil && slices.Contains(j.Sharing.Apart, other.ID)
}

func (j *Job) acceptsOtherUsers() bool { return j.Sharing == nil || j.Sharing.AcceptsOtherUsers }
