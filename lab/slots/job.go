package slots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// job is a job of the workload on its way. Its work is counted in units: steps of a training
// job, seconds on what it asks of any other.
type job struct {
	*workload.Job
	tables     *workload.SpeedTables
	rates      []policy.Rate // units per second on what it asks, by GPU type
	totalUnits float64
	doneUnits  float64

	on             policy.Alloc // nil: it waits
	unitsPerSecond float64
	overhead       float64 // seconds without progress after the last event
	plannedEnd     float64 // as reckoned at the last event; only of a job that runs
	sinceDecision  float64 // GPU-seconds
	outcome        measure.JobOutcome
}

// load prepares a job for a cluster.
func (j *job) load(w *workload.Job, tables *workload.SpeedTables, nodes []policy.Node) error {
	j.Job, j.tables, j.totalUnits = w, tables, w.Duration
	if w.Training != nil {
		j.totalUnits = float64(w.Training.Steps)
	}
	if w.GPUs <= 0 || !(j.totalUnits >= 0) || math.IsInf(j.totalUnits, 0) || !(w.Arrive >= 0) {
		return fmt.Errorf("%s: %d GPUs for %g s from %g s on make no sense", w.Location(), w.GPUs, j.totalUnits, w.Arrive)
	}
	for _, n := range nodes {
		for _, d := range n.GPUs {
			j.addRate(d.Type)
		}
	}
	slices.SortFunc(j.rates, func(a, b policy.Rate) int { return strings.Compare(a.Type, b.Type) })
	if len(j.rates) == 0 {
		return fmt.Errorf("%s: %s has no speed on %s of the cluster's types in the throughput tables", w.Location(), w.Class, policy.FormatCount(w.GPUs, "GPU"))
	}
	j.outcome = measure.JobOutcome{ID: w.ID, User: w.User, Account: w.Account, GPUCount: w.GPUs, Arrive: w.Arrive, ExclusiveRunSeconds: j.totalUnits / j.rates[0].StepsPerSecond}
	return nil
}

// addRate adds the speed on a type, once.
func (j *job) addRate(typ string) {
	for _, r := range j.rates {
		if r.Type == typ {
			return
		}
	}
	rate := 1.0
	switch {
	case j.GPUType != "" && j.GPUType != typ:
		return
	case j.Training != nil:
		rate, _ = j.tables.StepsAlone(typ, j.Class, j.GPUs)
	case j.Speeds != nil:
		rate = j.Speeds[typ]
	}
	if rate > 0 {
		j.rates = append(j.rates, policy.Rate{Type: typ, StepsPerSecond: rate})
	}
}

// speedOn is the speed on what it holds: as its table has it, else by its curve, else in
// proportion to its GPUs.
func (j *job) speedOn(on policy.Alloc) float64 {
	typ, n := on.FirstType(), on.Count()
	if j.Training != nil {
		if steps, ok := j.tables.StepsAlone(typ, j.Class, n); ok {
			return steps
		}
	}
	rate := 0.0
	for _, r := range j.rates {
		if r.Type == typ {
			rate = r.StepsPerSecond
		}
	}
	if j.Scaling == nil {
		return rate * float64(n) / float64(j.GPUs)
	}
	asked := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: typ, Count: j.GPUs}}, Scaling: j.Scaling}
	return rate * scaling.New(&asked).Speed(scaling.Size{Type: typ, Devices: n})
}

// newView is the job as a policy sees it when it arrives.
func (j *job) newView() policy.Job {
	at := workload.CalendarTimeAt(j.Arrive)
	v := policy.Job{
		ID: policy.JobID(j.ID), Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS, Partition: "gpu", State: policy.Pending,
		Submit: at, Arrive: at, EligibleAt: at, Limit: j.TimeLimit, MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs, ServiceSinceLast: policy.KnownValue(0),
		Ask: policy.Ask{GPUs: policy.GPUs{Type: j.GPUType, Count: j.GPUs}, CPUs: j.CPUs, MemMB: j.MemMB},
	}
	if j.Deadline > 0 {
		v.Deadline = workload.CalendarTimeAt(j.Deadline)
	}
	if j.IsUnstoppable {
		v.UnstoppableReason = "its owner does not let it be stopped"
	}
	if !j.IsSilent {
		v.Class, v.Scaling = j.Class, j.Scaling
		v.Training = &policy.Training{Steps: j.totalUnits, Rates: j.rates}
		if j.Training != nil {
			v.Training.BatchSize = j.Training.BatchSize
		}
	}
	return v
}

// updateView brings a view up to date before a decision.
func (j *job) updateView(v *policy.Job) {
	v.Attained += policy.GPUSeconds(j.sinceDecision)
	v.ServiceSinceLast, j.sinceDecision = policy.KnownValue(j.sinceDecision), 0
	if v.Training != nil {
		v.Training.StepsDone = j.doneUnits
		v.Progress = policy.KnownValue(j.doneUnits / max(j.totalUnits, math.SmallestNonzeroFloat64))
	}
}

// follow does what a lawful plan says of the job.
func (j *job) follow(d *policy.Decision, v *policy.Job, now float64) {
	at := workload.CalendarTimeAt(now)
	switch d.Verb {
	case policy.Stop:
		j.on, v.State, v.On, v.LastStop, v.Start = nil, policy.Pending, nil, at, time.Time{}
	case policy.Start, policy.Move, policy.Resize:
		j.on, v.State, v.On, v.Start = d.On, policy.Running, d.On, at
		if v.FirstStart.IsZero() {
			v.FirstStart, j.outcome.Start = at, now
		}
	}
	if d.Verb == policy.Stop || d.Verb == policy.Move || d.Verb == policy.Resize {
		j.outcome.StopCount++
		v.StopCount++
	}
}
