package exact

import (
	"fmt"
	"math"

	"fairbridge/bridge/sim/measure"
	"fairbridge/bridge/sim/work"
	"fairbridge/policy"
)

// job is a job of the workload on its way. Its work is counted in units: steps
// of a training job, seconds on the reference GPU of any other.
type job struct {
	*work.Job
	out    measure.Outcome
	units  float64 // in all
	done   float64
	rates  []float64 // units per second by type of the cluster, on what it asks
	class  string    // of a training job at its present batch size
	batch  int
	asked  int // the batch size it asks for; it takes effect when it is settled
	plan   []policy.Regime
	report *policy.Training // nil: it reports nothing

	on     policy.Alloc // what it holds; nil: nothing
	pace   float64      // units per second there
	fresh  bool         // it did not run right before
	owes   float64      // seconds it must run before it makes progress
	since  float64      // when it was last settled
	due    float64      // when it will have ended if nothing changes
	ran    float64      // seconds with progress
	gained float64      // GPU-seconds since the last decision
	fails  int          // rounds in a row in which it had nothing to do
	most   float64      // seconds of run time after which it is ended; 0: none
	came   crowd
	ended  bool
	// profile is what it reports instead of what it did; nil: what it did.
	profile *profile

	account, user int // whose it is; see purses
}

// newJob reads a job against the cluster.
func (e *engine) newJob(j *job, w *work.Job) error {
	j.Job, j.units = w, w.Duration
	j.out = measure.Outcome{ID: w.ID, User: w.User, Account: w.Account, GPUs: w.GPUs, Arrive: w.Arrive, Alone: w.Duration}
	switch {
	case w.GPUs <= 0:
		return fmt.Errorf("job %d (line %d): asks for %d GPUs", w.ID, w.Line, w.GPUs)
	case !(w.Arrive >= 0) || math.IsInf(w.Arrive, 0):
		return fmt.Errorf("job %d (line %d): arrives at %g s", w.ID, w.Line, w.Arrive)
	case w.Training != nil:
		if err := e.train(j); err != nil {
			return err
		}
	case !(w.Duration >= 0) || math.IsInf(w.Duration, 0):
		return fmt.Errorf("job %d (line %d): a run time of %g s", w.ID, w.Line, w.Duration)
	default:
		if err := e.plain(j); err != nil {
			return err
		}
	}
	if !w.Silent {
		e.reports(j)
	}
	return nil
}

// plain prepares a job that knows its run time.
func (e *engine) plain(j *job) error {
	j.rates = make([]float64, len(e.types))
	for k, typ := range e.types {
		if j.rates[k] = 1; j.Speeds != nil {
			j.rates[k] = j.Speeds[typ]
		}
	}
	if e.home(j) < 0 {
		return fmt.Errorf("job %d (line %d): asks for type %q and has no speed there; the cluster has %v", j.ID, j.Line, j.GPUType, e.types)
	}
	return nil
}

// train prepares a training job: its plan, and its speed on each type.
func (e *engine) train(j *job) error {
	t := j.Training
	j.units, j.batch, j.asked = float64(t.Steps), t.Batch, t.Batch
	if !e.setRates(j, t.Batch) {
		return fmt.Errorf("job %d (line %d): no speed of %s with %d GPUs in the throughput tables for the types %v", j.ID, j.Line, j.Job.Class, j.GPUs, e.types)
	}
	home := e.home(j)
	if t.Epochs() == 0 {
		j.out.Alone = j.units / j.rates[home]
		return nil
	}
	var err error
	if j.plan, err = work.Plan(j.Job, e.Tables, e.types[home]); err != nil {
		return err
	}
	j.out.Alone = work.Alone(j.plan)
	j.most = math.Trunc(e.Clock.Overrun * j.out.Alone)
	return nil
}

// setRates looks up the speeds at a batch size. It reports whether any type has
// one, and changes nothing otherwise.
func (e *engine) setRates(j *job, batch int) bool {
	class, known := j.Job.Class, false
	if batch > 0 {
		class = work.ClassOf(j.Training.Model, batch)
	}
	rates := make([]float64, len(e.types))
	for k, typ := range e.types {
		rates[k], _ = e.Tables.Alone(typ, class, j.GPUs)
		known = known || rates[k] > 0 && (j.GPUType == "" || j.GPUType == typ)
	}
	if known {
		j.rates, j.class = rates, class
	}
	return known
}

// home is the type whose speed is the job's reference: the one it asks for, or
// the first of the cluster that can run it; -1: none.
func (e *engine) home(j *job) int {
	for k, typ := range e.types {
		if j.rates[k] > 0 && (j.GPUType == "" || j.GPUType == typ) {
			return k
		}
	}
	return -1
}
