// Package goodput is what jobs truly do whose speed hangs on where they run and whose progress
// hangs on their batch size, as the simulators of Pollux (A. Qiao et al., OSDI 2021) and Sia
// (S. Jayaram Subramanya et al., SOSP 2023) have it: a Profile says how long a step takes on a
// placement and what it is worth in an epoch, a Run is one job on its way, and a Report is
// what it tells policies. Progress counts steps of the initial batch size.
package goodput

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// Profile is what was measured of a kind of job. It is a plain value: files have it
// (ReadProfiles), and so may code. All batch sizes are numbers of samples.
type Profile struct {
	Name           string
	InitialBatch   int // of all devices together; a step of it is the unit of progress
	MaxBatch       int // of all devices together
	LeastPerDevice int // on a device in one go
	MostPerDevice  int // on a device in one go
	Validations    []Validation
	StepTables     []StepTable // one of type "" holds for all types that have none
	// MostDevices bounds a job whose batch size is fixed; 0: as many as have LeastPerDevice each.
	MostDevices int
	// RestartSeconds is what a start costs; 0: what the clock says.
	RestartSeconds float64
	// Slowdown is what goodput is divided by; 0: 1. Sia calibrates some kinds so.
	Slowdown float64
}

// Validation is a whole training at one batch size.
type Validation struct {
	BatchSize int
	Epochs    []Epoch
}

// Epoch is what was measured at the end of an epoch.
type Epoch struct {
	Progress   float64 // since the beginning, in steps of the initial batch size
	Iterations float64 // since the beginning, in steps of the training's own
	Metric     float64 // accuracy or the like; unused
	GradSqr    float64 // squared norm of the gradient, in the epoch
	GradVar    float64 // its variance, in the epoch
}

// Application is a profile that was found to make sense, ready to be asked.
type Application struct {
	Profile
	tables []*stepTimes // by type, sorted
	marks  []float64    // progress at which each epoch ends
}

// New checks a profile. Errors name what is missing.
func New(p Profile) (*Application, error) {
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	p.Validations, p.Slowdown = slices.Clone(p.Validations), cmp.Or(p.Slowdown, 1)
	slices.SortFunc(p.Validations, func(a, b Validation) int { return cmp.Compare(a.BatchSize, b.BatchSize) })
	a := &Application{Profile: p, marks: make([]float64, len(p.Validations[0].Epochs))}
	for i := range a.marks {
		a.marks[i] = math.Inf(1)
		for _, v := range p.Validations {
			a.marks[i] = min(a.marks[i], v.Epochs[i].Progress)
		}
		if i > 0 && !(a.marks[i] > a.marks[i-1]) {
			return nil, fmt.Errorf("profile %s: epoch %d ends at a progress of %g, the one before at %g", p.Name, i+1, a.marks[i], a.marks[i-1])
		}
	}
	for i := range p.StepTables {
		t, err := newStepTimes(&p.StepTables[i])
		if err != nil {
			return nil, fmt.Errorf("profile %s, GPU type %q: %w", p.Name, p.StepTables[i].GPUType, err)
		}
		a.tables = append(a.tables, t)
	}
	slices.SortFunc(a.tables, func(a, b *stepTimes) int { return cmp.Compare(a.gpuType, b.gpuType) })
	return a, nil
}

func (p *Profile) check() error {
	switch {
	case p.InitialBatch <= 0 || p.MaxBatch < p.InitialBatch:
		return fmt.Errorf("batch sizes from %d to %d", p.InitialBatch, p.MaxBatch)
	case p.LeastPerDevice <= 0 || p.MostPerDevice < p.LeastPerDevice:
		return fmt.Errorf("batch sizes of a device from %d to %d", p.LeastPerDevice, p.MostPerDevice)
	case len(p.Validations) == 0 || len(p.Validations[0].Epochs) == 0:
		return fmt.Errorf("no training was measured")
	case len(p.StepTables) == 0:
		return fmt.Errorf("no step was measured")
	}
	for _, v := range p.Validations {
		if len(v.Epochs) != len(p.Validations[0].Epochs) {
			return fmt.Errorf("%d epochs with batch size %d, %d with %d", len(v.Epochs), v.BatchSize, len(p.Validations[0].Epochs), p.Validations[0].BatchSize)
		}
		for i, e := range v.Epochs {
			if !(e.Progress > 0) || !(e.GradSqr >= 0) || !(e.GradVar >= 0) || !(e.GradSqr+e.GradVar > 0) || math.IsInf(e.Progress+e.GradSqr+e.GradVar, 0) {
				return fmt.Errorf("epoch %d with batch size %d: progress %g, gradient %g and %g", i+1, v.BatchSize, e.Progress, e.GradSqr, e.GradVar)
			}
		}
	}
	return nil
}

// EpochCount is how many epochs a job trains.
func (a *Application) EpochCount() int { return len(a.marks) }

// Total is the progress of a whole job.
func (a *Application) Total() float64 { return a.marks[len(a.marks)-1] }

// Gain is what a step of a batch size is worth in an epoch, from 0, in steps of the initial one.
func (a *Application) Gain(epoch int, batch float64) float64 {
	sqr, variance := a.noise(epoch, batch)
	scale := batch / float64(a.InitialBatch)
	return (variance + sqr) / (variance/scale + sqr)
}

// noise returns the squared norm and the variance of the gradient in an epoch.
func (a *Application) noise(epoch int, batch float64) (sqr, variance float64) {
	lo, hi, part := a.validationsAround(batch)
	x, y := &lo.Epochs[epoch], &hi.Epochs[epoch]
	return between(x.GradSqr, y.GradSqr, part), between(x.GradVar, y.GradVar, part)
}

// IterationsLeft is how many steps of its own a job of a fixed batch size has left at the
// beginning of an epoch, as Pollux' simulator tells Optimus: of the last epoch it knows 1.
func (a *Application) IterationsLeft(epoch int, batch float64) float64 {
	last := len(a.marks) - 1
	if epoch >= last {
		return 1
	}
	return a.iterations(last, batch) - a.iterations(epoch, batch)
}

func (a *Application) iterations(epoch int, batch float64) float64 {
	lo, hi, part := a.validationsAround(batch)
	return between(lo.Epochs[epoch].Iterations, hi.Epochs[epoch].Iterations, part)
}

// validationsAround returns the trainings between which a batch size lies, and how far it is
// from the first to the second, 0 to 1.
func (a *Application) validationsAround(batch float64) (lo, hi *Validation, part float64) {
	lo = &a.Validations[0]
	for i := range a.Validations {
		hi = &a.Validations[i]
		if size := float64(hi.BatchSize); size >= batch {
			if size == batch || lo == hi {
				return hi, hi, 0
			}
			return lo, hi, (batch - float64(lo.BatchSize)) / (size - float64(lo.BatchSize))
		}
		lo = hi
	}
	return lo, lo, 0
}

func between(x, y, part float64) float64 { return x + (y-x)*part }

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

// siaCalibration is what Sia's simulator sets by hand for the kinds of jobs of its workloads: what
// a start costs in seconds, and what goodputs are divided by so that they are those of its
// cluster.
var siaCalibration = map[string]struct{ restartSeconds, slowdown float64 }{
	"cifar10":     {50, 1.8},
	"ncf":         {15, 1.5},
	"deepspeech2": {25, 1.2},
	"yolov3":      {80, 1.2},
	"bert":        {120, 1.2},
	"imagenet":    {250, 1.2},
	"gpt_pmp":     {0, 1},
}

// CalibratedAsSia returns the application with what Sia's simulator sets by hand for it; what
// the profile sets itself stays, and so do applications that simulator does not have.
func (a *Application) CalibratedAsSia() *Application {
	c, known := siaCalibration[a.Name]
	if !known {
		return a
	}
	calibrated := *a
	if a.RestartSeconds == 0 {
		calibrated.RestartSeconds = c.restartSeconds
	}
	if a.Slowdown == 1 {
		calibrated.Slowdown = c.slowdown
	}
	calibrated.tables = slices.Clone(a.tables)
	for i, t := range calibrated.tables {
		there := *t
		if there.most > 0 {
			there.most = max(there.most, t.mostPlaced())
		}
		calibrated.tables[i] = &there
	}
	return &calibrated
}

// mostPlaced is the most samples a device took in one go on any placement: Sia's simulator has
// no other bound, while Pollux' sets one by hand for some kinds of jobs.
func (s *stepTimes) mostPlaced() int {
	most := 0.0
	for _, c := range s.placed {
		most = max(most, c[len(c)-1].perDevice)
	}
	return int(most)
}
