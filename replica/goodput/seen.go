package goodput

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// seenSpeeds is what a job measured of its steps, as its training program would.
type seenSpeeds struct {
	steps       []seenStep
	mostDevices int
	isNew       bool // some step was not fitted to yet
	points      []policy.SpeedPoint
	// mostPerDevice is how many samples a device of a type takes in one go, where that is not
	// what the job says of all.
	mostPerDevice map[string]int
	fits          []policy.StepTime // by type, sorted
	sigma         float64           // the largest of the fits
}

type seenStep struct {
	gpuType string
	scaling.MeasuredStep
}

// add notes the step that the job does now.
func (s *seenSpeeds) add(r *Run) {
	p := newPlacement(r.on)
	s.mostDevices = max(s.mostDevices, p.devices)
	s.addStep(r.job, r.on.FirstType(), p, r.batch.PerDevice)
}

// addStep notes the step of a placement.
func (s *seenSpeeds) addStep(job Job, typ string, p placement, perDevice int) {
	same := func(o seenStep) bool {
		return o.gpuType == typ && o.Devices == p.devices && o.Nodes == p.nodes && o.PerDevice == perDevice
	}
	if slices.ContainsFunc(s.steps, same) {
		return
	}
	cost := job.tableOf(typ).cost(p, perDevice)
	whole := job.Slowdown
	if t := job.tableOf(typ); t.most > 0 {
		if s.mostPerDevice == nil {
			s.mostPerDevice = map[string]int{}
		}
		s.mostPerDevice[typ] = t.most
	}
	s.steps = append(s.steps, seenStep{typ, scaling.MeasuredStep{
		Devices: p.devices, Nodes: p.nodes, PerDevice: perDevice,
		GradientSeconds: (cost.step - cost.sync) * whole, StepSeconds: cost.step * whole,
	}})
	s.points = append(s.points, policy.SpeedPoint{
		Type: typ, Devices: p.devices, Nodes: p.nodes, BatchSize: p.devices * perDevice, StepsPerSecond: 1 / (cost.step * whole),
	})
	slices.SortFunc(s.points, func(a, b policy.SpeedPoint) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Devices, b.Devices), cmp.Compare(a.Nodes, b.Nodes), cmp.Compare(a.BatchSize, b.BatchSize))
	})
	s.isNew = true
}

// fit fits the time of a step on each type to what is new.
func (s *seenSpeeds) fit() {
	if !s.isNew {
		return
	}
	s.isNew, s.fits, s.sigma = false, nil, 0
	byType := map[string][]scaling.MeasuredStep{}
	for _, m := range s.steps {
		byType[m.gpuType] = append(byType[m.gpuType], m.MeasuredStep)
	}
	for typ, steps := range byType {
		fit, sigma, ok := scaling.FitStepTime(steps)
		if fit.Type, fit.MostPerDevice = typ, s.mostPerDevice[typ]; ok {
			s.fits, s.sigma = append(s.fits, fit), max(s.sigma, sigma)
		}
	}
	slices.SortFunc(s.fits, func(a, b policy.StepTime) int { return cmp.Compare(a.Type, b.Type) })
}

// chooseBatch is the batch size a job adapts to where it is: the one of most goodput by what it
// measured on the type; its initial one before its first step there.
func (r *Run) chooseBatch() scaling.Batch {
	r.seen.fit()
	devices := r.on.Count()
	asItBegan := r.job.onType(r.on.FirstType()).divide(max(r.job.InitialBatch, r.job.LeastPerDevice*devices), devices)
	if !hasFit(r.seen.fits, r.on.FirstType()) {
		return asItBegan
	}
	b := r.job.batchRange()
	b.GradSqr, b.GradVar = r.job.noise(min(r.epoch, r.job.EpochCount()-1), float64(max(r.batch.Global, r.job.InitialBatch)))
	j := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Scaling: &policy.Scaling{StepTimes: r.seen.fits, Batch: b}}
	p := newPlacement(r.on)
	best, goodput := scaling.New(&j).BestBatch(scaling.Size{Type: r.on.FirstType(), Devices: devices, Nodes: p.nodes})
	if goodput <= 0 {
		return asItBegan
	}
	return best
}
