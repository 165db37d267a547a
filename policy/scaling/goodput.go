package scaling

import (
	"cmp"
	"math"

	"fairbridge/policy"
)

// Batch is a batch size: PerDevice samples at a time on each device, AccumulationSteps times
// before the step that ends it, so Global = devices * PerDevice * (AccumulationSteps + 1).
type Batch struct {
	PerDevice         int
	AccumulationSteps int
	Global            int
}

// batchSamples is among how many batch sizes the best is searched, in geometric distance.
const batchSamples = 50

// rounding keeps sizes that are whole but for the rounding of floats from the next whole one.
const rounding = 1e-8

// BestBatch returns the batch size with which the job makes the most progress on a size, and
// that goodput: with step times in steps of its initial batch size per second (steps per
// second times what a step of that batch is worth), so that steps left / goodput is time
// left; else Speed, and no batch. Both are 0 where the job cannot run.
func (c Curve) BestBatch(s Size) (Batch, float64) {
	t := c.stepTime(s.Type)
	switch {
	case s.Devices <= 0:
		return Batch{}, 0
	case t == nil:
		return Batch{}, c.Speed(s)
	case c.scaling.Batch == nil:
		// The batch is fixed and of unknown size: GradBeta is for a device's part of it on the ask.
		part := float64(max(c.job.Ask.GPUs.Count, 1)) / float64(s.Devices)
		return Batch{}, 1 / newStepper(t, s).seconds(part, 0)
	}
	b := *c.scaling.Batch
	b.MostPerDevice = cmp.Or(t.MostPerDevice, b.MostPerDevice)
	return bestBatch(t, &b, s)
}

// Goodput is that of BestBatch.
func (c Curve) Goodput(s Size) float64 {
	_, goodput := c.BestBatch(s)
	return goodput
}

// MostDevices is the most devices the job should be given: its range, what its batch can be
// divided among, and twice the most it was ever measured on (Pollux), since beyond that its
// speed is a guess. A job that reports, and never ran, gets what it needs least, unless a table or
// its class tells its speed; one of which nothing is known gets at most what its owner asked.
func (c Curve) MostDevices() int {
	least, most := cmp.Or(c.job.MinGPUs, c.job.Ask.GPUs.Count), cmp.Or(c.job.MaxGPUs, c.job.Ask.GPUs.Count)
	if b := c.scaling.Batch; b != nil && b.LeastPerDevice > 0 {
		most = min(most, cmp.Or(b.FixedSize, b.Max)/b.LeastPerDevice)
	}
	switch seen := c.scaling.MaxSeenDevices; {
	case seen > 0:
		most = min(most, 2*seen)
	case c.Source() == policy.ScalingFromReports:
		most = least
	case c.Source() == policy.ScalingAssumed:
		most = min(most, c.job.Ask.GPUs.Count)
	}
	return max(most, least)
}

// stepTime returns the parameters for a type: its own, else those of "", else of the first;
// nil where there are none.
func (c Curve) stepTime(typ string) *policy.StepTime {
	times := c.scaling.StepTimes
	for _, want := range []string{typ, ""} {
		for i := range times {
			if times[i].Type == want {
				return &times[i]
			}
		}
	}
	if len(times) == 0 {
		return nil
	}
	return &times[0]
}

// bestBatch searches the batch size of the most goodput.
func bestBatch(t *policy.StepTime, b *policy.BatchRange, s Size) (best Batch, most float64) {
	steps := newStepper(t, s)
	try := func(global float64) {
		found, ok := divideBatch(b, global, s.Devices)
		if !ok {
			return
		}
		if goodput := gain(b, found.Global) / steps.seconds(float64(found.PerDevice), found.AccumulationSteps); goodput > most {
			best, most = found, goodput
		}
	}
	if b.FixedSize > 0 {
		try(float64(b.FixedSize))
		return best, most
	}
	least, limit := float64(max(b.Initial, b.LeastPerDevice*s.Devices)), float64(b.Max)
	if least > limit {
		return Batch{}, 0
	}
	factor := math.Pow(limit/least, 1./(batchSamples-1))
	for global, i := least, 0; i < batchSamples; global, i = global*factor, i+1 {
		try(min(global, limit))
		if factor == 1 {
			break
		}
	}
	return best, most
}

// divideBatch divides a batch among devices, accumulating where a device has too little memory
// for its part; false: a device would have less than it takes. On one device a batch larger
// than the initial one is accumulated at least once, since the noise of the gradient, by which
// the job sets its learning rate, is not seen in a single pass (Pollux).
func divideBatch(b *policy.BatchRange, global float64, devices int) (Batch, bool) {
	part := math.Ceil(global/float64(devices) - rounding)
	passes := 1.
	if b.MostPerDevice > 0 {
		passes = max(math.Ceil(part/float64(b.MostPerDevice)-rounding), 1)
	}
	if devices == 1 && global > float64(b.Initial)+rounding {
		passes = max(passes, 2)
	}
	each := math.Ceil(part/passes - rounding)
	if b.Max > 0 {
		each = min(each, math.Floor(float64(b.Max)/(float64(devices)*passes)))
	}
	found := Batch{int(each), int(passes) - 1, devices * int(each*passes)}
	return found, found.PerDevice >= max(b.LeastPerDevice, 1)
}

// gain is how far a step of a batch moves the job, relative to one of its initial batch.
func gain(b *policy.BatchRange, global int) float64 {
	if b.Initial <= 0 || global <= 0 {
		return 1
	}
	scale := float64(global) / float64(b.Initial)
	if rest := b.GradVar/scale + b.GradSqr; rest > 0 && b.GradVar >= 0 && b.GradSqr >= 0 {
		return (b.GradVar + b.GradSqr) / rest
	}
	return 1
}

// stepper says how long a step takes on one size.
type stepper struct {
	times        *policy.StepTime
	network      float64 // seconds
	networkPower float64 // to the Gamma
}

func newStepper(t *policy.StepTime, s Size) stepper {
	n := 0.
	switch {
	case s.Devices > 1 && s.Nodes > 1:
		n = t.NetAlpha + t.NetBeta*float64(s.Devices-2)
	case s.Devices > 1:
		n = t.LocalAlpha + t.LocalBeta*float64(s.Devices-2)
	}
	return stepper{t, n, math.Pow(n, t.Gamma)}
}

// seconds returns the time of a step that accumulates so many more passes over a local batch.
func (s stepper) seconds(perDevice float64, accumulation int) float64 {
	g := s.times.GradAlpha + s.times.GradBeta*perDevice
	last := g
	switch {
	case s.network <= 0:
	case s.times.Gamma <= 1:
		last = g + s.network
	default:
		last = math.Exp(math.Log(math.Exp(s.times.Gamma*math.Log(g))+s.networkPower) / s.times.Gamma)
	}
	return float64(accumulation)*g + last
}
