package nodeprobe

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Progress is what a training job says of its own work. What it does not say
// is unknown.
type Progress struct {
	Epoch          OptionalValue `json:"epoch,omitzero"`    // completed
	TotalEpochs    OptionalValue `json:"epochs,omitzero"`   // in all
	Step           OptionalValue `json:"step,omitzero"`     // completed, at the present batch size
	TotalSteps     OptionalValue `json:"steps,omitzero"`    // in all, at the present batch size
	StepsPerSecond OptionalValue `json:"rate,omitzero"`     // steps per second, of the whole job
	BatchSize      OptionalValue `json:"batch,omitzero"`    // batch size, of the whole job
	Loss           OptionalValue `json:"loss,omitzero"`     // as the job defines it
	Requests       OptionalValue `json:"requests,omitzero"` // answered since this run began, by a replica of an inference service

	// What it says of the batch sizes it may use, in samples: of the whole job as its owner chose
	// it and at most, and on one GPU in one go.
	InitialBatch    OptionalValue `json:"batch_initial,omitzero"`
	MaxBatch        OptionalValue `json:"batch_max,omitzero"`
	LeastBatchOnGPU OptionalValue `json:"gpu_batch_least,omitzero"`
	MostBatchOnGPU  OptionalValue `json:"gpu_batch_most,omitzero"`
	// GradSqr and GradVar are the squared norm and the variance of its gradient at the initial batch size.
	GradSqr OptionalValue `json:"grad_sqr,omitzero"`
	GradVar OptionalValue `json:"grad_var,omitzero"`
}

// ProgressReport is the newest progress of a job on this node.
type ProgressReport struct {
	ProcessJob
	UID        int       `json:"uid"`         // of the process that reported
	ReceivedAt time.Time `json:"at"`          // when, by the probe's clock
	AgeSeconds float64   `json:"age_seconds"` // since At, by the probe's steady clock when it served this
	Progress   Progress  `json:"progress"`
}

// slowestRate is the least rate that is believed: a step in thirty years. Numbers that are further apart
// let a policy's arithmetic fail, and with it the decision on the jobs of all others.
const slowestRate = 1e-9

// Check returns what is wrong with the progress, nil when it makes sense.
func (p *Progress) Check() error {
	var errs []error
	said := false
	for _, f := range []struct {
		name string
		m    OptionalValue
		most float64
	}{
		{"epoch", p.Epoch, 1e9}, {"epochs", p.TotalEpochs, 1e9}, {"step", p.Step, 1e15}, {"steps", p.TotalSteps, 1e15},
		{"rate", p.StepsPerSecond, 1e9}, {"requests", p.Requests, 1e15}, {"batch", p.BatchSize, 1e9},
		{"batch_initial", p.InitialBatch, 1e9}, {"batch_max", p.MaxBatch, 1e9}, {"gpu_batch_least", p.LeastBatchOnGPU, 1e9},
		{"gpu_batch_most", p.MostBatchOnGPU, 1e9}, {"grad_sqr", p.GradSqr, 1e30}, {"grad_var", p.GradVar, 1e30},
	} {
		said = said || f.m.Known
		if f.m.Known && !(f.m.Value >= 0 && f.m.Value <= f.most) {
			errs = append(errs, fmt.Errorf("%s %v is not between 0 and %g", f.name, f.m.Value, f.most))
		}
	}
	if v := p.StepsPerSecond.Value; p.StepsPerSecond.Known && v > 0 && v < slowestRate {
		errs = append(errs, fmt.Errorf("rate %v is neither 0 nor at least %g", v, slowestRate))
	}
	if p.Loss.Known && (math.IsNaN(p.Loss.Value) || math.IsInf(p.Loss.Value, 0)) {
		errs = append(errs, fmt.Errorf("loss %v is not a number", p.Loss.Value))
	}
	if !said && !p.Loss.Known {
		errs = append(errs, errors.New("it says nothing: give epoch, step, loss, rate, batch or requests"))
	}
	return errors.Join(append(errs, checkAtMost("epoch", p.Epoch, "epochs", p.TotalEpochs), checkAtMost("step", p.Step, "steps", p.TotalSteps),
		checkAtMost("batch_initial", p.InitialBatch, "batch_max", p.MaxBatch), checkAtMost("gpu_batch_least", p.LeastBatchOnGPU, "gpu_batch_most", p.MostBatchOnGPU))...)
}

func checkAtMost(name string, less OptionalValue, than string, more OptionalValue) error {
	if less.Known && more.Known && less.Value > more.Value {
		return fmt.Errorf("%s %v is more than %s %v", name, less.Value, than, more.Value)
	}
	return nil
}

// ShareDone returns the share of the work that is done, 0..1: by epochs where the
// job counts them, since the number of steps may change, else by steps.
func (p *Progress) ShareDone() OptionalValue {
	for _, c := range [][2]OptionalValue{{p.Epoch, p.TotalEpochs}, {p.Step, p.TotalSteps}} {
		if c[0].Known && c[1].Known && c[1].Value > 0 {
			return KnownValue(min(c[0].Value/c[1].Value, 1))
		}
	}
	return OptionalValue{}
}
