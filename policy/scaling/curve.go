// Package scaling says how fast a job goes on any size: so many devices of a type over so many
// nodes. What is known of it (policy.Scaling) is a table, a fit or a default; a Curve reads
// each in the same way.
package scaling

import (
	"cmp"

	"fairbridge/policy"
)

// DefaultSerialPart is the part of a step that is assumed not to get faster with GPUs for a
// job of which nothing is known: eight GPUs are then 5.9 times as fast as one.
const DefaultSerialPart = .05

// Size is what a job runs on.
type Size struct {
	Type    string // of GPU; "": that of the ask
	Devices int
	Nodes   int // 0: as few as can be
}

// Curve is how fast one job goes on any size.
type Curve struct {
	job     *policy.Job
	scaling *policy.Scaling // never nil
}

// assumed stands for a job of which nothing is known.
var assumed = &policy.Scaling{Source: policy.ScalingAssumed, SerialPart: DefaultSerialPart}

// New returns the curve of a job.
func New(j *policy.Job) Curve {
	return Curve{j, cmp.Or(j.Scaling, assumed)}
}

// Source says what the curve comes from.
func (c Curve) Source() policy.ScalingSource { return c.scaling.Source }

// Asked is the size the job asks for.
func (c Curve) Asked() Size { return Size{c.job.Ask.GPUs.Type, c.job.Ask.GPUs.Count, 0} }

// Held is the size the job runs on; what it asks while it does not run.
func (c Curve) Held() Size {
	if len(c.job.On) == 0 {
		return c.Asked()
	}
	return Size{c.job.On.FirstType(), c.job.On.Count(), len(c.job.On.Nodes())}
}

// Speed returns the job's speed on a size relative to that on what it asks, 1 there; 0 where
// it cannot run.
func (c Curve) Speed(s Size) float64 {
	asked := c.Asked()
	at, base := c.shape(s), c.shape(asked)
	if s.Devices <= 0 || base <= 0 {
		return 0
	}
	return at / base * c.typeFactor(s.Type, asked.Type)
}

// StepsPerSecond returns the job's progress on a size in steps of Training.Steps per second; ok
// is false where its speed on what it asks is not known, neither by its reports nor by step
// times together with a batch range.
func (c Curve) StepsPerSecond(s Size) (steps float64, ok bool) {
	rate, ok := 0., false
	if c.job.Training != nil {
		rate, ok = c.job.Training.Rate(cmp.Or(c.job.Ask.GPUs.Type, s.Type))
	}
	if !ok {
		steps = c.shape(s)
		return steps, len(c.scaling.StepTimes) > 0 && c.scaling.Batch != nil && steps > 0
	}
	at := Size{cmp.Or(c.job.Ask.GPUs.Type, s.Type), c.job.Ask.GPUs.Count, 0}
	if c.Speed(at) <= 0 {
		return 0, false
	}
	return rate * c.Speed(s) / c.Speed(at), true
}

// typeFactor is the speed of a type relative to another, for curves that do not tell types
// apart: by the job's own rates.
func (c Curve) typeFactor(typ, than string) float64 {
	if typ == than || typ == "" || than == "" || c.job.Training == nil || c.TellsType(typ) {
		return 1
	}
	a, knownA := c.job.Training.Rate(typ)
	b, knownB := c.job.Training.Rate(than)
	if !knownA || !knownB || b <= 0 {
		return 1
	}
	return a / b
}

// TellsType reports whether the job was measured on the type.
func (c Curve) TellsType(typ string) bool {
	for _, p := range c.scaling.Points {
		if p.Type == typ {
			return true
		}
	}
	for _, p := range c.scaling.StepTimes {
		if p.Type == typ {
			return true
		}
	}
	return false
}

// shape returns the speed on a size, in a unit of the curve's own.
func (c Curve) shape(s Size) float64 {
	switch sc := c.scaling; {
	case s.Devices <= 0:
		return 0
	case len(sc.StepTimes) > 0:
		return c.Goodput(s)
	case len(sc.Points) > 0:
		return c.spread(s) * speedAmong(sc.Points, s, sc.SerialPart)
	default:
		return c.spread(s) * amdahl(sc.SerialPart, s.Devices)
	}
}

// spread is the factor of running on more than one node where SpreadSpeed is known and fewer
// would do; which that is depends on the nodes, so callers give Size.Nodes = 0 for as few as
// can be.
func (c Curve) spread(s Size) float64 {
	if s.Nodes > 1 && c.scaling.SpreadSpeed > 0 {
		return c.scaling.SpreadSpeed
	}
	return 1
}
