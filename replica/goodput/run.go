package goodput

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// Job is which kind of job it is, and the batch size its owner chose.
type Job struct {
	*Application
	BatchSize int // of all devices together
}

// Run is a job on its way.
type Run struct {
	job         Job
	information Information
	epoch       int     // that it is in, from 0
	progress    float64 // in steps of the initial batch size
	on          policy.Alloc
	batch       scaling.Batch // where it is
	stepSeconds float64       // of that batch there
	seen        seenSpeeds
	hasTrained  bool
	types       []string // of the cluster, that can run it
}

// NewRun is a job before its first step. What it tells policies hangs on the information
// level, and so does its batch size; see Information.
func NewRun(j Job, level Information) *Run { return &Run{job: j, information: level} }

// Place lets the job run on what it holds from now on. It reports whether it can.
func (r *Run) Place(on policy.Alloc) bool {
	r.on = on
	r.setBatch()
	return r.stepSeconds > 0
}

// setBatch chooses the batch size for the epoch and the placement.
func (r *Run) setBatch() {
	r.batch = r.job.onType(r.on.FirstType()).divide(r.job.BatchSize, r.on.Count())
	if r.information.adapts() {
		r.batch = r.chooseBatch()
	}
	r.stepSeconds = r.job.StepSeconds(r.on, r.batch)
}

// Goodput is the job's progress per second where it is, in its epoch.
func (r *Run) Goodput() float64 { return r.goodputOf(r.batch, r.stepSeconds) }

func (r *Run) goodputOf(b scaling.Batch, stepSeconds float64) float64 {
	epoch := min(r.epoch, r.job.EpochCount()-1)
	return r.job.Gain(epoch, float64(b.Global)) / stepSeconds / r.job.Slowdown
}

// Done is the job's progress, and of how much.
func (r *Run) Done() (progress, of float64) { return r.progress, r.job.Total() }

// Advance lets the job go on for so many seconds, with all devices it was placed on. It returns
// the seconds it needed and whether it is complete then: less than all only where it is. As in
// Pollux' simulator an epoch ends after a whole number of seconds.
func (r *Run) Advance(seconds float64) (used float64, complete bool) {
	left := seconds
	for left > 0 {
		r.hasTrained = true
		r.seen.add(r)
		goodput, mark := r.Goodput(), r.job.marks[r.epoch]
		if r.progress+goodput*left < mark {
			r.progress += goodput * left
			if r.information == Compared {
				r.setBatch()
			}
			return seconds, false
		}
		took := math.RoundToEven((mark - r.progress) / goodput)
		r.epoch++
		r.progress = mark
		left -= took
		if r.epoch == len(r.job.marks) {
			return seconds - left, true
		}
		r.setBatch()
	}
	return seconds, false
}

// ExclusiveSeconds is how long the job runs on devices of a type that fill as few nodes as can
// be, if never stopped and with its owner's batch size; 0: it cannot run there.
func (j Job) ExclusiveSeconds(gpuType string, devices, perNode int) float64 {
	t := j.tableOf(gpuType)
	if t == nil {
		return 0
	}
	b := j.onType(gpuType).divide(j.BatchSize, devices)
	step := j.stepSeconds(t, packed(devices, perNode), b)
	sum, before := 0.0, 0.0
	for epoch, mark := range j.marks {
		sum += (mark - before) / j.Gain(epoch, float64(b.Global)) * step * j.Slowdown
		before = mark
	}
	return sum
}

// nominalPerNode is how many devices a node has where no cluster is known: that of the
// published profiles.
const nominalPerNode = 4

// NominalSeconds is ExclusiveSeconds on the type of the first table, with four devices on a
// node, where no cluster is known yet.
func (j Job) NominalSeconds(devices int) float64 {
	return j.ExclusiveSeconds(j.tables[0].gpuType, max(devices, 1), nominalPerNode)
}
