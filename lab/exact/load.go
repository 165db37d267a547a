package exact

import (
	"fmt"
	"math"

	"fairbridge/policy"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// jobLoader reads the jobs of a workload against a cluster.
type jobLoader struct {
	speeds           *speedTable
	reports          *trainingReports
	maxOverrunFactor float64 // see Clock
	gpuTypes         []goodput.GPUType
	information      goodput.Information
}

// keepsToItself is what the owner of a job accepts beside it that shares with none.
var keepsToItself policy.Job

// loadJob prepares one job.
func (l *jobLoader) loadJob(j *job, w *workload.Job) error {
	j.Job, j.totalUnits = w, w.Duration
	if j.asNeighbour = &keepsToItself; w.IsShareable {
		j.asNeighbour = &policy.Job{ID: policy.JobID(w.ID), User: w.User, Shareable: true, Sharing: w.Sharing}
	}
	j.outcome = measure.JobOutcome{ID: w.ID, User: w.User, Account: w.Account, GPUCount: w.GPUs, Arrive: w.Arrive, ExclusiveRunSeconds: w.Duration}
	switch {
	case w.GPUs <= 0:
		return fmt.Errorf("%s: asks for %s", w.Location(), policy.FormatCount(w.GPUs, "GPU"))
	case !(w.Arrive >= 0) || math.IsInf(w.Arrive, 0):
		return fmt.Errorf("%s: arrives at %g s", w.Location(), w.Arrive)
	case j.checkAmounts() != nil:
		return j.checkAmounts()
	case w.Goodput != nil:
		return l.loadGoodputJob(j)
	case w.Training != nil:
		if err := l.loadTrainingJob(j); err != nil {
			return err
		}
	case !(w.Duration >= 0) || math.IsInf(w.Duration, 0):
		return fmt.Errorf("%s: a run time of %g s", w.Location(), w.Duration)
	default:
		if err := l.loadPlainJob(j); err != nil {
			return err
		}
	}
	if !w.IsSilent {
		l.reports.newReport(j)
	}
	return nil
}

// loadPlainJob prepares a job that knows its run time.
func (l *jobLoader) loadPlainJob(j *job) error {
	j.unitRatesByType = make([]float64, len(l.speeds.gpuTypes))
	for k, typ := range l.speeds.gpuTypes {
		if j.unitRatesByType[k] = 1; j.Speeds != nil {
			j.unitRatesByType[k] = j.Speeds[typ]
		}
	}
	if l.speeds.referenceGPUType(j) < 0 {
		return fmt.Errorf("%s: asks for type %q and has no speed there; the cluster has %v", j.Location(), j.GPUType, l.speeds.gpuTypes)
	}
	return nil
}

// loadTrainingJob prepares a training job: its plan, and its speed on each type.
func (l *jobLoader) loadTrainingJob(j *job) error {
	t := j.Training
	j.totalUnits, j.batchSize, j.wantedBatchSize = float64(t.Steps), t.BatchSize, t.BatchSize
	if !l.speeds.setBatchRates(j, t.BatchSize) {
		return fmt.Errorf("%s: no speed of %s with %s in the throughput tables for the types %v", j.Location(), j.Job.Class, policy.FormatCount(j.GPUs, "GPU"), l.speeds.gpuTypes)
	}
	home := l.speeds.referenceGPUType(j)
	if t.EpochCount() == 0 {
		j.outcome.ExclusiveRunSeconds = j.totalUnits / j.unitRatesByType[home]
		return nil
	}
	var err error
	if j.plannedRegimes, err = workload.PlannedRegimes(j.Job, l.speeds.speedTables, l.speeds.gpuTypes[home]); err != nil {
		return err
	}
	j.outcome.ExclusiveRunSeconds = workload.SumPlannedSeconds(j.plannedRegimes)
	j.outcome.LeastRunSeconds = leastRunSeconds(j, j.unitRatesByType[home])
	j.maxRunSeconds = math.Trunc(l.maxOverrunFactor * j.outcome.ExclusiveRunSeconds)
	return nil
}

// leastRunSeconds is how long a training job runs at least: plans count whole epochs, of
// which it may not need all of the last.
func leastRunSeconds(j *job, stepsPerSecond float64) float64 {
	if len(j.plannedRegimes) == 1 {
		return min(j.totalUnits/stepsPerSecond, j.outcome.ExclusiveRunSeconds)
	}
	return max(j.outcome.ExclusiveRunSeconds-j.plannedRegimes[len(j.plannedRegimes)-1].SecondsPerEpoch, 1)
}

// speedByAmounts is how fast the job is with the cores and memory that it was given, relative to those it
// asks, which its run time is for.
func (j *job) speedByAmounts() float64 {
	if j.given == (policy.Amounts{}) || j.CPUScaling == nil {
		return 1
	}
	devices := j.heldAlloc.Count()
	ask := policy.Ask{GPUs: policy.GPUs{Count: j.GPUs}, CPUs: j.CPUs, MemMB: j.MemMB}.Resized(devices)
	return j.CPUScaling.SpeedWith(devices, ask.WithAmounts(j.given).Amounts()) / j.CPUScaling.SpeedWith(devices, ask.Amounts())
}

// checkAmounts says why the job cannot run with the cores and memory that it asks.
func (j *job) checkAmounts() error {
	if j.CPUScaling == nil || j.CPUScaling.SpeedWith(j.GPUs, policy.Amounts{CPUs: j.CPUs, MemMB: j.MemMB}) > 0 {
		return nil
	}
	return fmt.Errorf("%s: with what it asks, %v, it has no speed by its own figures of cores and memory; let it ask more, or leave them out", j.Location(), policy.Amounts{CPUs: j.CPUs, MemMB: j.MemMB})
}
