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
	came   contention
	ended  bool
	// profile is what it reports instead of what it did; nil: what it did.
	profile *profile

	account, user int // its own; see usage
}

// ask notes the batch size the job wants, from the epochs it has completed.
func (j *job) ask() {
	if j.Training == nil || j.Training.Mode == "" {
		return
	}
	per := float64(j.Training.EpochSteps(j.batch))
	if per > 0 {
		j.asked = j.Training.Next(int(math.Ceil(j.done/per)), j.batch, j.GPUs)
	}
}

// portion returns what the job can do in so many seconds, in whole steps if it
// trains, and whether that is all it has left.
func (j *job) portion(seconds float64) (units float64, all bool) {
	left, most := j.units-j.done, j.pace*seconds
	if j.Training != nil {
		most = math.Trunc(most)
	}
	return min(most, left), left <= most
}

// expect notes when the job will have ended if it goes on from now.
func (j *job) expect(now float64) {
	j.due = now + j.owes + (j.units-j.done)/j.pace
}

// view is the job as a policy sees it when it arrives.
func (j *job) view() policy.Job {
	class := j.Job.Class
	if j.Silent {
		class = ""
	}
	v := policy.Job{
		ID: policy.JobID(j.ID), Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS,
		Partition: "gpu", State: policy.Pending, Submit: at(j.Arrive), Arrive: at(j.Arrive), Eligible: at(j.Arrive),
		Limit: j.Limit, MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs, Class: class, Shareable: j.Shareable,
		Ask:      policy.Ask{GPUs: policy.GPUs{Type: j.GPUType, Count: j.GPUs}, CPUs: j.CPUs, MemMB: j.MemMB},
		Training: j.report, Gained: policy.Known(0),
	}
	if j.Partition != "" {
		v.Partition = j.Partition
	}
	if j.Deadline > 0 {
		v.Deadline = at(j.Deadline)
	}
	if j.Fixed {
		v.Fixed = "its owner does not let it be stopped"
	}
	if j.Checkpoint > 0 {
		v.Checkpoint = policy.Seconds(j.Checkpoint)
	}
	return v
}

// refresh brings a view up to date.
func (j *job) refresh(v *policy.Job) {
	v.Gained.Value = j.gained
	if j.gained == 0 && j.report == nil {
		return
	}
	v.Attained += policy.GPUSeconds(j.gained)
	j.gained = 0
	if t := j.report; t != nil {
		j.progress(t)
		if j.units > 0 {
			v.Progress = policy.Known(j.done / j.units)
		}
	}
}

// progress brings a report up to date.
func (j *job) progress(t *policy.Training) {
	t.Steps, t.Done = j.units, j.done
	if j.plan == nil {
		return
	}
	per := float64(j.Training.EpochSteps(j.batch))
	t.Epochs = int(math.Ceil(j.units / per))
	t.Epoch = min(int(j.done/per), t.Epochs)
	present := float64(min(t.Epoch+1, t.Epochs))
	if j.profile != nil {
		j.profile.tell(t, present)
		return
	}
	last := len(t.Seen) - 1
	for _, r := range t.Seen[:last] {
		present -= r.Epochs
	}
	t.Seen[last].Epochs = max(present, 0)
}
