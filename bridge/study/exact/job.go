package exact

import (
	"math"

	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// job is a job of the workload on its way. Its work is counted in units: steps
// of a training job, seconds on the reference GPU of any other.
type job struct {
	*workload.Job
	outcome     measure.Outcome
	units       float64 // in all
	done        float64
	rates       []float64 // units per second by type of the cluster, on what it asks
	class       string    // of a training job at its present batch size
	batch       int
	wantedBatch int // the batch size it asks for; it takes effect when it is settled
	plan        []policy.Regime
	report      *policy.Training // nil: it reports nothing

	on                  policy.Alloc // what it holds; nil: nothing
	speed               float64      // units per second there
	justStarted         bool         // it did not run right before
	restartLeft         float64      // seconds it must run before it makes progress
	settledAt           float64      // when it was last settled
	due                 float64      // when it will have ended if nothing changes
	ran                 float64      // seconds with progress
	newService          float64      // GPU-seconds since the last decision
	idleRounds          int          // rounds in a row in which it had nothing to do
	maxRunTime          float64      // seconds of run time after which it is ended; 0: none
	contentionAtArrival contention
	ended               bool
	// profile is what it reports instead of what it did; nil: what it did.
	profile *profile

	account, user int // its own; see usage
}

// updateWantedBatch notes the batch size the job wants, from the epochs it has completed.
func (j *job) updateWantedBatch() {
	if j.Training == nil || j.Training.Mode == "" {
		return
	}
	per := float64(j.Training.EpochSteps(j.batch))
	if per > 0 {
		j.wantedBatch = j.Training.NextBatch(int(math.Ceil(j.done/per)), j.batch, j.GPUs)
	}
}

// workWithin returns what the job can do in so many seconds, in whole steps if it
// trains, and whether that is all it has left.
func (j *job) workWithin(seconds float64) (units float64, all bool) {
	left, most := j.units-j.done, j.speed*seconds
	if j.Training != nil {
		most = math.Trunc(most)
	}
	return min(most, left), left <= most
}

// updateDue notes when the job will have ended if it goes on from now.
func (j *job) updateDue(now float64) {
	j.due = now + j.restartLeft + (j.units-j.done)/j.speed
}

// view is the job as a policy sees it when it arrives.
func (j *job) view() policy.Job {
	class := j.Job.Class
	if j.Silent {
		class = ""
	}
	v := policy.Job{
		ID: policy.JobID(j.ID), Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS,
		Partition: "gpu", State: policy.Pending, Submit: At(j.Arrive), Arrive: At(j.Arrive), EligibleAt: At(j.Arrive),
		Limit: j.Limit, MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs, Class: class, Shareable: j.Shareable,
		Ask:      policy.Ask{GPUs: policy.GPUs{Type: j.GPUType, Count: j.GPUs}, CPUs: j.CPUs, MemMB: j.MemMB},
		Training: j.report, ServiceSinceLast: policy.NewMeasure(0),
	}
	if j.Partition != "" {
		v.Partition = j.Partition
	}
	if j.Deadline > 0 {
		v.Deadline = At(j.Deadline)
	}
	if j.Unstoppable {
		v.UnstoppableReason = "its owner does not let it be stopped"
	}
	if j.Checkpoint > 0 {
		v.Checkpoint = policy.DurationFromSeconds(j.Checkpoint)
	}
	return v
}

// updateView brings a view up to date.
func (j *job) updateView(v *policy.Job) {
	v.ServiceSinceLast.Value = j.newService
	if j.newService == 0 && j.report == nil {
		return
	}
	v.Attained += policy.GPUSeconds(j.newService)
	j.newService = 0
	if t := j.report; t != nil {
		j.updateReport(t)
		if j.units > 0 {
			v.Progress = policy.NewMeasure(j.done / j.units)
		}
	}
}

// updateReport brings a report up to date.
func (j *job) updateReport(t *policy.Training) {
	t.Steps, t.StepsDone = j.units, j.done
	if j.plan == nil {
		return
	}
	per := float64(j.Training.EpochSteps(j.batch))
	t.Epochs = int(math.Ceil(j.units / per))
	t.EpochsDone = min(int(j.done/per), t.Epochs)
	present := float64(min(t.EpochsDone+1, t.Epochs))
	if j.profile != nil {
		j.profile.fillReport(t, present)
		return
	}
	last := len(t.SeenRegimes) - 1
	for _, r := range t.SeenRegimes[:last] {
		present -= r.Epochs
	}
	t.SeenRegimes[last].Epochs = max(present, 0)
}
