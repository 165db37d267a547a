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

// wholeness keeps sizes that are whole but for the rounding of floats from the next whole one.
const wholeness = 1e-8

func ceil(x float64) int { return int(math.Ceil(x - wholeness)) }

// onType is the application as it is on a GPU type, which may hold more or less in one go.
func (a *Application) onType(gpuType string) *Application {
	t := a.tableOf(gpuType)
	if t == nil || t.most == 0 {
		return a
	}
	there := *a
	there.MostPerDevice = t.most
	return &there
}

// divide returns how a batch of a fixed size is divided among devices: on each as much in one
// go as its memory allows, in as few goes as that takes. A single device takes two at least
// for more than the initial batch, so that the noise of its gradient can be measured.
func (a *Application) divide(global, devices int) scaling.Batch {
	least := 0
	if devices == 1 && global > a.InitialBatch {
		least = 1
	}
	return a.divideInGoes(global, devices, least)
}

// divideInGoes is divide with so many steps of accumulation at least.
func (a *Application) divideInGoes(global, devices, leastAccumulation int) scaling.Batch {
	onEach := math.Ceil(float64(global)/float64(devices) - wholeness)
	goes := max(ceil(onEach/float64(a.MostPerDevice))-1, leastAccumulation) + 1
	perDevice := max(min(ceil(onEach/float64(goes)), a.MaxBatch/(devices*goes)), 1)
	return scaling.Batch{PerDevice: perDevice, AccumulationSteps: goes - 1, Global: devices * perDevice * goes}
}

// stepSeconds is the time of a whole step, with its accumulation, on a placement.
func (a *Application) stepSeconds(t *stepTimes, p placement, b scaling.Batch) float64 {
	c := t.cost(p, b.PerDevice)
	return c.step + float64(b.AccumulationSteps)*(c.step-c.sync)
}

// tableOf returns the times on a GPU type; nil: it cannot run there.
func (a *Application) tableOf(gpuType string) *stepTimes {
	var any *stepTimes
	for _, t := range a.tables {
		switch t.gpuType {
		case gpuType:
			return t
		case "":
			any = t
		}
	}
	return any
}

// RunsOn reports whether its steps were measured on a GPU type.
func (a *Application) RunsOn(gpuType string) bool { return a.tableOf(gpuType) != nil }

// StepSeconds is the time of a whole step with a batch on each device, on what a job holds:
// that of the slowest of its types. 0: it cannot run there.
func (a *Application) StepSeconds(on policy.Alloc, b scaling.Batch) float64 {
	p, most := newPlacement(on), 0.0
	for i, s := range on {
		if i > 0 && s.Type == on[i-1].Type {
			continue
		}
		t := a.tableOf(s.Type)
		if t == nil {
			return 0
		}
		most = max(most, a.stepSeconds(t, p, b))
	}
	return most
}

// MostDevices is the most devices a job can divide its batch among, of a cluster of so many:
// a fixed batch, or for 0 any it may adapt to.
func (a *Application) mostDevices(fixedBatch, cluster int) int {
	most := a.MaxBatch / a.LeastPerDevice
	if fixedBatch > 0 {
		if most = fixedBatch / a.LeastPerDevice; a.MostDevices > 0 {
			most = min(most, a.MostDevices)
		}
	}
	return max(min(most, cluster), 1)
}

// profile lets the job measure one device of every type, with every batch size that was measured
// there and that fits. It counts as never having run: it begins on the fewest devices.
func (r *Run) profile(types []GPUType) {
	alone := packed(1, 1)
	for _, t := range types {
		table := r.job.tableOf(t.Name)
		if table == nil {
			continue
		}
		there := r.job.onType(t.Name)
		for _, k := range table.placed[alone.digits] {
			if n := int(k.perDevice); n >= there.LeastPerDevice && n <= there.MostPerDevice {
				r.seen.addStep(r.job, t.Name, alone, n)
			}
		}
	}
}

// carriedOver is the fits, of which those that tell of one device only give way to what was
// fitted on the type on which the job had the most: as much slower or faster as one device is.
func (s *seenSpeeds) carriedOver(b *policy.BatchRange) []policy.StepTime {
	most, from := map[string]int{}, -1
	for _, m := range s.steps {
		most[m.gpuType] = max(most[m.gpuType], m.Devices)
	}
	for i := range s.fits {
		if most[s.fits[i].Type] > 1 && (from < 0 || most[s.fits[i].Type] > most[s.fits[from].Type]) {
			from = i
		}
	}
	if from < 0 {
		return s.fits
	}
	known := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Scaling: &policy.Scaling{StepTimes: s.fits, Batch: b}}
	all, curve := make([]policy.StepTime, len(s.fits)), scaling.New(known)
	there := curve.Goodput(scaling.Size{Type: s.fits[from].Type, Devices: 1, Nodes: 1})
	for i, f := range s.fits {
		all[i] = f
		here := curve.Goodput(scaling.Size{Type: f.Type, Devices: 1, Nodes: 1})
		if most[f.Type] > 1 || !(here > 0) || !(there > 0) || math.IsInf(there/here, 0) {
			continue
		}
		all[i] = s.fits[from]
		all[i].Type = f.Type
		for _, seconds := range []*float64{&all[i].GradAlpha, &all[i].GradBeta, &all[i].LocalAlpha, &all[i].LocalBeta, &all[i].NetAlpha, &all[i].NetBeta} {
			*seconds *= there / here
		}
		if all[i].MostPerDevice == 0 {
			all[i].MostPerDevice = b.MostPerDevice
		}
	}
	return all
}
