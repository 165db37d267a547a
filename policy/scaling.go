package policy

import (
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
