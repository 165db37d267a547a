// Package scaling says how fast a job goes on any size: so many devices of a type over so many
// nodes. What is known of it (policy.Scaling) is a table, a fit or a default; a Curve reads
// each in the same way.
package scaling

import (
	"cmp"
	"slices"
	"time"

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

// speedAmong returns the speed on a size from points: linear between the numbers of devices
// that were measured; outside of them as a serial part has it that is scaled through the
// nearest, and where there is none (0) in proportion below the least and no faster beyond the
// most. Points of the size's type come before those of any type, and points of its number of
// nodes before all others.
func speedAmong(points []policy.SpeedPoint, s Size, serialPart float64) float64 {
	var below, above *policy.SpeedPoint
	for i := range points {
		p := &points[i]
		if !countsFor(points, p, s) {
			continue
		}
		if p.Devices <= s.Devices && (below == nil || p.Devices >= below.Devices) {
			below = p
		}
		if p.Devices >= s.Devices && (above == nil || p.Devices < above.Devices) {
			above = p
		}
	}
	switch {
	case below == nil && above == nil:
		return 0
	case below == nil:
		return above.StepsPerSecond * amdahl(serialPart, s.Devices) / amdahl(serialPart, above.Devices)
	case above == nil && serialPart > 0:
		return below.StepsPerSecond * amdahl(serialPart, s.Devices) / amdahl(serialPart, below.Devices)
	case above == nil || above.Devices == below.Devices:
		return below.StepsPerSecond
	}
	part := float64(s.Devices-below.Devices) / float64(above.Devices-below.Devices)
	return below.StepsPerSecond + part*(above.StepsPerSecond-below.StepsPerSecond)
}

// amdahl is the speed on so many devices relative to that on one, when a part of a step does
// not get faster with them.
func amdahl(serialPart float64, devices int) float64 {
	return float64(devices) / (1 + serialPart*float64(devices-1))
}

// countsFor reports whether a point says something of a size.
func countsFor(points []policy.SpeedPoint, p *policy.SpeedPoint, s Size) bool {
	if p.Type != typeAmong(points, s.Type) {
		return false
	}
	if p.Nodes == s.Nodes {
		return true
	}
	for i := range points {
		if o := &points[i]; o.Type == p.Type && o.Devices == p.Devices && o.Nodes == s.Nodes {
			return false // that one counts
		}
	}
	return p.Nodes == 0 || s.Nodes == 0
}

// typeAmong is the type whose points are read for a type: itself, else "", else the first.
func typeAmong(points []policy.SpeedPoint, typ string) string {
	for _, want := range []string{typ, ""} {
		for i := range points {
			if points[i].Type == want {
				return want
			}
		}
	}
	return points[0].Type
}

// Pace is how fast a job goes on a size, relative to the size that times left are told on (Job.PredictedLeft,
// engine.TimeLeftEstimate): as many GPUs as the job asks for, of the type that it holds or, while it waits, asks for.
type Pace struct {
	Speed         float64 // 1 on the size that times left are told on
	RelativeSigma float64 // its relative standard error; 0 on that size
}

// PaceOn returns how fast a job would go on a size. Of a job whose size is its owner's alone and of
// which nothing was measured, the number of devices says nothing: some sites give whole nodes to a job
// that asks for a part.
func PaceOn(j *policy.Job, s Size) Pace {
	c, told := New(j), toldSize(j, s)
	if s.Type == "" {
		s.Type = told.Type
	}
	if s == told || j.MinGPUs < 1 && j.Scaling == nil {
		return Pace{Speed: 1}
	}
	at, base := c.Speed(s), c.Speed(told)
	if at <= 0 || base <= 0 {
		return Pace{Speed: 1}
	}
	return Pace{at / base, c.scaling.RelativeSigma}
}

// HeldPace returns how fast a job goes on what it holds; 1 while it waits.
func HeldPace(j *policy.Job) Pace {
	if len(j.On) == 0 {
		return Pace{Speed: 1}
	}
	return PaceOn(j, Size{Type: j.On.FirstType(), Devices: j.On.Count()})
}

// toldSize is the size that times left are told on.
func toldSize(j *policy.Job, s Size) Size {
	told := New(j).Asked()
	switch {
	case len(j.On) > 0:
		told.Type = j.On.FirstType()
	case told.Type == "":
		told.Type = s.Type
	}
	told.Nodes = s.Nodes
	return told
}

// WallTime turns time that is left as times left are told into time on the size.
func (p Pace) WallTime(left time.Duration) time.Duration {
	if p.Speed == 1 || p.Speed <= 0 {
		return left
	}
	return policy.DurationFromSeconds(left.Seconds() / p.Speed)
}

// HeldSize returns what a job runs on, and what it asks while it does not run. Nodes is 0 where
// they are as few as the nodes of the snapshot allow, as sizes have it.
func HeldSize(s *policy.Snapshot, j *policy.Job) Size {
	size := New(j).Held()
	if size.Nodes <= FewestNodes(s.Nodes, size.Type, size.Devices) {
		size.Nodes = 0
	}
	return size
}

// FewestNodes returns over how few of the nodes so many devices of a type can be spread, if all of
// them are free.
func FewestNodes(nodes []policy.Node, typ string, devices int) int {
	var counts []int
	for i := range nodes {
		for _, d := range nodes[i].GPUs {
			if d.Type == typ {
				counts = append(counts, d.Count)
			}
		}
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	for n, c := range counts {
		if devices -= c; devices <= 0 {
			return n + 1
		}
	}
	return len(counts)
}

// HybridBatch returns the batch of all devices together, in samples, that a job should use on
// so many devices, and by what factor its learning rate should follow (Xie et al., Elan,
// ICDCS 2020). It is the job's batch while that keeps all of them busy, as efficientDevices
// says of a batch; else the smallest power of two times it that does, of at most mostBatch
// (0: as large as it takes). Where none does, it is the largest that may be.
func HybridBatch(batch, mostBatch, devices int, efficientDevices func(batch int) int) (samples int, rateFactor float64) {
	const mostDoublings = 30
	samples = batch
	for range mostDoublings {
		if batch <= 0 || devices <= efficientDevices(samples) || mostBatch > 0 && 2*samples > mostBatch {
			break
		}
		samples *= 2
	}
	if batch <= 0 {
		return samples, 1
	}
	return samples, float64(samples) / float64(batch)
}

// RecommendBatches notes in a plan which batch size is best for each job that adapts its own, where it
// runs or will.
func RecommendBatches(s *policy.Snapshot, plan *policy.Plan) {
	jobs := map[policy.JobID]*policy.Job{}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Scaling != nil && j.Scaling.Batch != nil && len(j.Scaling.StepTimes) > 0 {
			jobs[j.ID] = j
		}
	}
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if j := jobs[d.Job]; j != nil && len(d.On) > 0 {
			b, _ := New(j).BestBatch(Size{d.On.FirstType(), d.On.Count(), len(d.On.Nodes())})
			d.BatchSize, d.AccumulationSteps = b.Global, b.AccumulationSteps
		}
	}
}
