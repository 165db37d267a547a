package exact

import (
	"fmt"
	"math"

	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/workload"
)

// loader reads the jobs of a workload against a cluster.
type loader struct {
	speeds  *speeds
	reports *reports
	overrun float64 // see Clock
}

// load prepares one job.
func (l *loader) load(j *job, w *workload.Job) error {
	j.Job, j.units = w, w.Duration
	j.outcome = measure.Outcome{ID: w.ID, User: w.User, Account: w.Account, GPUs: w.GPUs, Arrive: w.Arrive, ExclusiveRunTime: w.Duration}
	switch {
	case w.GPUs <= 0:
		return fmt.Errorf("job %d (line %d): asks for %d GPUs", w.ID, w.Line, w.GPUs)
	case !(w.Arrive >= 0) || math.IsInf(w.Arrive, 0):
		return fmt.Errorf("job %d (line %d): arrives at %g s", w.ID, w.Line, w.Arrive)
	case w.Training != nil:
		if err := l.train(j); err != nil {
			return err
		}
	case !(w.Duration >= 0) || math.IsInf(w.Duration, 0):
		return fmt.Errorf("job %d (line %d): a run time of %g s", w.ID, w.Line, w.Duration)
	default:
		if err := l.plain(j); err != nil {
			return err
		}
	}
	if !w.Silent {
		l.reports.newReport(j)
	}
	return nil
}

// plain prepares a job that knows its run time.
func (l *loader) plain(j *job) error {
	j.rates = make([]float64, len(l.speeds.types))
	for k, typ := range l.speeds.types {
		if j.rates[k] = 1; j.Speeds != nil {
			j.rates[k] = j.Speeds[typ]
		}
	}
	if l.speeds.homeType(j) < 0 {
		return fmt.Errorf("job %d (line %d): asks for type %q and has no speed there; the cluster has %v", j.ID, j.Line, j.GPUType, l.speeds.types)
	}
	return nil
}

// train prepares a training job: its plan, and its speed on each type.
func (l *loader) train(j *job) error {
	t := j.Training
	j.units, j.batch, j.wantedBatch = float64(t.Steps), t.Batch, t.Batch
	if !l.speeds.lookUp(j, t.Batch) {
		return fmt.Errorf("job %d (line %d): no speed of %s with %d GPUs in the throughput tables for the types %v", j.ID, j.Line, j.Job.Class, j.GPUs, l.speeds.types)
	}
	home := l.speeds.homeType(j)
	if t.Epochs() == 0 {
		j.outcome.ExclusiveRunTime = j.units / j.rates[home]
		return nil
	}
	var err error
	if j.plan, err = workload.PlannedRegimes(j.Job, l.speeds.tables, l.speeds.types[home]); err != nil {
		return err
	}
	j.outcome.ExclusiveRunTime = workload.PlannedSeconds(j.plan)
	j.maxRunTime = math.Trunc(l.overrun * j.outcome.ExclusiveRunTime)
	return nil
}
