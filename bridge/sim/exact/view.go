package exact

import (
	"fmt"
	"math"

	"fairbridge/policy"
)

// view is the job as a policy sees it when it arrives.
func (e *engine) view(j *job) policy.Job {
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

// reports sets up what a job tells of itself.
func (e *engine) reports(j *job) {
	t := &policy.Training{Batch: j.batch}
	j.report = t
	if j.Training == nil && j.Speeds == nil {
		t.Rates = []policy.Rate{{Steps: 1}}
	} else {
		e.tellRates(j)
	}
	e.tellNeighbours(j)
	if j.plan == nil {
		return
	}
	t.Seen = []policy.Regime{{Batch: j.batch, Seconds: e.epochSeconds(j, j.batch)}}
	for _, b := range j.Training.Modes(j.GPUs) {
		if s := e.epochSeconds(j, b); s > 0 {
			t.Modes = append(t.Modes, policy.Regime{Batch: b, Seconds: s})
		}
	}
	if e.Profiled {
		j.profile = newProfile(j)
	}
}

func (e *engine) tellRates(j *job) {
	t := j.report
	t.Rates = t.Rates[:0]
	for k, typ := range e.types {
		if j.rates[k] > 0 {
			t.Rates = append(t.Rates, policy.Rate{Type: typ, Steps: j.rates[k]})
		}
	}
}

// tellNeighbours lists the speeds beside others, for jobs that share.
func (e *engine) tellNeighbours(j *job) {
	if !j.Shareable || j.Training == nil {
		return
	}
	t := j.report
	t.Beside = nil
	for _, typ := range e.types {
		for _, other := range e.Tables.Neighbours(typ, j.class, j.GPUs) {
			v, _ := e.Tables.Beside(typ, j.class, j.GPUs, other)
			t.Beside = append(t.Beside, policy.Shared{Type: typ, Class: other, Steps: v})
		}
	}
}

// epochSeconds is how long an epoch takes the job alone at a batch size on its
// home type; 0: nobody knows.
func (e *engine) epochSeconds(j *job, batch int) float64 {
	home := e.home(j)
	speed, err := e.Tables.Speed(j.Job, e.types[max(home, 0)], batch)
	if err != nil {
		return 0
	}
	return j.Training.EpochSeconds(batch, speed)
}

// regime notes a change of the batch size after so many epochs.
func (e *engine) regime(j *job, epochs float64) {
	t := j.report
	if t == nil {
		return
	}
	e.tellRates(j)
	e.tellNeighbours(j)
	before := 0.0
	for _, r := range t.Seen[:len(t.Seen)-1] {
		before += r.Epochs
	}
	t.Seen[len(t.Seen)-1].Epochs = epochs - before
	t.Seen = append(t.Seen, policy.Regime{Batch: j.batch, Seconds: e.epochSeconds(j, j.batch)})
	t.Batch = j.batch
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

func (e *engine) mismatch(i int, d *policy.Decision) error {
	return fmt.Errorf("decision %d is about job %d, want job %d: plans list every job once, by id", i+1, d.Job, e.here[i].ID)
}
