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
