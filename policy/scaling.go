package policy

import (
	"bytes"
	"slices"
)

// Scaling is what is known of how fast a job goes on other numbers, types and spreads of GPUs
// than it asks for. package policy/scaling reads it; without one a job's speed on other sizes
// is assumed (scaling.DefaultSerialPart).
type Scaling struct {
	Source ScalingSource `json:"source"`
	// Points are speeds that were measured or stand in a table, sorted by type, devices, nodes
	// and batch size. Only their ratios matter where Training.Rates says how fast the job is on
	// what it asks.
	Points []SpeedPoint `json:"points,omitempty"`
	// StepTimes are parameters of the time of a step, by GPU type, sorted; one of type "" holds
	// for all types that are not named. With them, Points are not read.
	StepTimes []StepTime `json:"step_times,omitempty"`
	// Batch is the range within which the job adapts its batch size to its GPUs; nil: it is fixed.
	Batch *BatchRange `json:"batch,omitempty"`
	// SerialPart is, where there are neither points nor step times, the part of a step that does
	// not get faster with GPUs (Amdahl): the speed on k devices is k/(1+SerialPart*(k-1)). Beside
	// points it is the shape of the curve below the least and beyond the most of them, 0: in
	// proportion below, and no faster beyond.
	SerialPart float64 `json:"serial,omitempty"`
	// SpreadSpeed is the speed on more nodes than the devices need, relative to that on as few
	// as can be, 0..1; 0: the same.
	SpreadSpeed float64 `json:"spread,omitempty"`
	// RelativeSigma is the relative standard error of a speed on a size that was not measured.
	RelativeSigma float64 `json:"sigma,omitempty"`
	// MaxSeenDevices is the most devices the job was ever measured on; 0: not known.
	MaxSeenDevices int `json:"seen,omitempty"`
}

// ScalingSource says where a Scaling comes from, the best first.
type ScalingSource string

// The sources.
const (
	ScalingFromTable   ScalingSource = "table"   // of its class, measured by the site or published
	ScalingFromReports ScalingSource = "reports" // of the job itself, at the sizes it ran on
	ScalingFromClass   ScalingSource = "class"   // what jobs of its class and owner reported before
	// ScalingFromRecurring is what jobs of its owner reported whose names differ from its own in counters.
	ScalingFromRecurring ScalingSource = "recurring"
	ScalingAssumed       ScalingSource = "assumed" // nothing is known: SerialPart is the default
)

// SpeedPoint is a speed on one size.
type SpeedPoint struct {
	Type           string  `json:"type,omitempty"` // of GPU; "": any
	Devices        int     `json:"devices"`
	Nodes          int     `json:"nodes,omitempty"` // over which they are spread; 0: as few as can be
	BatchSize      int     `json:"batch,omitempty"` // of all devices together; 0: that of the job
	StepsPerSecond float64 `json:"steps"`
}

// StepTime are the parameters of the time of a training step in seconds, as Pollux (Qiao et
// al., OSDI 2021) has it: with a local batch of m on each of K devices and s steps of
// accumulation a step takes s*g + (g^Gamma + n^Gamma)^(1/Gamma), where the gradient takes
// g = GradAlpha + GradBeta*m and the network n = 0 for K = 1, LocalAlpha + LocalBeta*(K-2) on
// one node and NetAlpha + NetBeta*(K-2) on several.
type StepTime struct {
	Type       string  `json:"type,omitempty"` // of GPU; "": any
	GradAlpha  float64 `json:"ga"`
	GradBeta   float64 `json:"gb"`
	LocalAlpha float64 `json:"la"`
	LocalBeta  float64 `json:"lb"`
	NetAlpha   float64 `json:"na"`
	NetBeta    float64 `json:"nb"`
	Gamma      float64 `json:"gamma"` // 1 to 10
	// MostPerDevice takes the place of that of the BatchRange on this type, whose memory is
	// larger or smaller; 0: it does not.
	MostPerDevice int `json:"most,omitempty"`
}

// BatchRange is the range of batch sizes a job may use, and how much each is worth to it. All
// are numbers of samples.
type BatchRange struct {
	Initial        int `json:"initial"`         // of all devices together; what its owner chose
	Max            int `json:"max"`             // of all devices together
	LeastPerDevice int `json:"least"`           // on a device in one go
	MostPerDevice  int `json:"most"`            // on a device in one go, as memory allows
	FixedSize      int `json:"fixed,omitempty"` // of all devices together, on any number of them; 0: it adapts
	// GradSqr and GradVar are the squared norm and the variance of the gradient at the initial
	// batch size: a batch scale times as large moves the job (GradVar+GradSqr)/(GradVar/scale+GradSqr)
	// times as far (gain); both 0: unknown, and larger batches are worth nothing.
	GradSqr float64 `json:"sqr,omitempty"`
	GradVar float64 `json:"var,omitempty"`
}

func (s *Scaling) clone() *Scaling {
	if s == nil {
		return nil
	}
	c := *s
	c.Points, c.StepTimes = slices.Clone(s.Points), slices.Clone(s.StepTimes)
	if s.Batch != nil {
		b := *s.Batch
		c.Batch = &b
	}
	return &c
}

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

// Clone returns a copy that shares nothing that can be written to; only a value
// that a policy remembered (see Remember) is the same one. It has no Scratch.
func (s *Snapshot) Clone() *Snapshot {
	c := *s
	c.Nodes = cloneList(s.Nodes, Node.clone)
	c.Jobs = cloneList(s.Jobs, Job.clone)
	c.Accounts, c.Users = slices.Clone(s.Accounts), slices.Clone(s.Users)
	c.InferenceServices = cloneList(s.InferenceServices, InferenceService.clone)
	c.DeadlineBudgets = slices.Clone(s.DeadlineBudgets)
	c.Speeds, c.History = slices.Clone(s.Speeds), slices.Clone(s.History)
	c.Memo.rawJSON = bytes.Clone(s.Memo.rawJSON)
	c.WriteForecast()
	c.Scratch = nil
	return &c
}

// cloneList copies a list with a copy of each of its members.
func cloneList[T any](list []T, clone func(T) T) []T {
	out := slices.Clone(list)
	for i := range out {
		out[i] = clone(out[i])
	}
	return out
}

func (n Node) clone() Node {
	n.Partitions, n.Features = slices.Clone(n.Partitions), slices.Clone(n.Features)
	n.GPUs, n.Switches = cloneList(n.GPUs, NodeDevices.clone), slices.Clone(n.Switches)
	n.Windows, n.OtherUses = slices.Clone(n.Windows), slices.Clone(n.OtherUses)
	return n
}

func (d NodeDevices) clone() NodeDevices {
	d.Domains = slices.Clone(d.Domains)
	return d
}

func (j Job) clone() Job {
	a := &j.Ask
	a.RequiredNodes, a.ExcludedNodes = slices.Clone(a.RequiredNodes), slices.Clone(a.ExcludedNodes)
	a.Features, a.TypesToTry = slices.Clone(a.Features), slices.Clone(a.TypesToTry)
	j.On = slices.Clone(j.On)
	if j.Training != nil {
		t := *j.Training
		t.Rates, t.SharedRates = slices.Clone(t.Rates), slices.Clone(t.SharedRates)
		t.SeenRegimes, t.PossibleRegimes = slices.Clone(t.SeenRegimes), slices.Clone(t.PossibleRegimes)
		t.Losses = slices.Clone(t.Losses)
		j.Training = &t
	}
	j.Scaling, j.Sharing, j.CPUScaling = j.Scaling.clone(), j.Sharing.clone(), j.CPUScaling.clone()
	j.GPUTypes, j.DependsOn = slices.Clone(j.GPUTypes), slices.Clone(j.DependsOn)
	if j.EarlyEnd != nil {
		enough := *j.EarlyEnd
		j.EarlyEnd = &enough
	}
	return j
}
