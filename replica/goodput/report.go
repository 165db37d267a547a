package goodput

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// Information is what jobs tell policies of themselves.
type Information string

// The levels.
const (
	// Measured jobs tell what they could tell on a real cluster: the steps they measured where
	// they ran, what they fit to them, and the noise of their gradient now. They adapt their batch
	// size by that, and progress counts steps of the initial one.
	Measured Information = "measured"
	// Oracle jobs keep their owner's batch size and tell what a step of it truly takes on every
	// number of devices, and how many of them are left, as Pollux' simulator tells Optimus.
	Oracle Information = "oracle"
	// Profiled jobs are Measured ones that ran on one device of every type before they begin, with
	// every batch size that fits, as Sia's paper has it. Until they ran on several devices of a
	// type, what they measured on another holds in proportion to one device of each.
	Profiled Information = "profiled"
	// Compared jobs are as in Sia's simulator as it was published (github.com/siasosp23/artifacts,
	// aaf7a0d): Measured ones that tell nothing before their first step. From then on what they
	// measured on one type holds for those they did not run on, in proportion to one device of
	// each. Policies are told of batch sizes up to the owner's, and jobs adapt to all.
	Compared Information = "compared"
)

// adapts reports whether jobs adapt their batch size.
func (i Information) adapts() bool { return i != Oracle }

// InformationLevels are the levels by name.
func InformationLevels() []Information { return []Information{Measured, Oracle, Profiled, Compared} }

// GPUType is a type of the cluster: how many devices there are, and the most on a node.
type GPUType struct {
	Name             string
	Devices, PerNode int
}

// Introduce sets what policies see of the job from the beginning. Types that cannot run it
// are not told.
func (r *Run) Introduce(v *policy.Job, types []GPUType) {
	all := 0
	for _, t := range types {
		if r.job.RunsOn(t.Name) {
			all += t.Devices
		}
	}
	batch := r.job.batchRange()
	if r.information == Compared {
		batch.Max = max(r.job.BatchSize, batch.Initial)
	}
	fixed := 0
	if r.information == Oracle {
		fixed = r.job.BatchSize
		batch.FixedSize = fixed
	}
	if v.MaxGPUs > 0 {
		v.MinGPUs, v.MaxGPUs = 1, max(r.job.mostDevices(fixed, all), v.Ask.GPUs.Count)
	}
	v.Training = &policy.Training{Epochs: r.job.EpochCount(), BatchSize: r.job.BatchSize}
	v.Scaling = &policy.Scaling{Source: policy.ScalingFromReports, SerialPart: scaling.DefaultSerialPart, Batch: batch}
	for _, t := range types {
		if r.job.RunsOn(t.Name) {
			r.types = append(r.types, t.Name)
		}
	}
	switch r.information {
	case Oracle:
		r.tellTruth(v, types)
	case Profiled:
		r.profile(types)
	}
	r.Report(v)
}

func (a *Application) batchRange() *policy.BatchRange {
	return &policy.BatchRange{Initial: a.InitialBatch, Max: a.MaxBatch, LeastPerDevice: a.LeastPerDevice, MostPerDevice: a.MostPerDevice}
}

// tellTruth tells the time of a step on every number of devices that fill as few nodes as can
// be. Pollux' simulator reckons one device with two goes over the batch at least.
func (r *Run) tellTruth(v *policy.Job, types []GPUType) {
	v.Scaling.Source = policy.ScalingFromTable
	for _, t := range types {
		table := r.job.tableOf(t.Name)
		if table == nil {
			continue
		}
		for n := 1; n <= min(max(v.MaxGPUs, v.Ask.GPUs.Count), t.Devices); n++ {
			least := 0
			if n == 1 {
				least = 1
			}
			seconds := r.job.stepSeconds(table, packed(n, t.PerNode), r.job.onType(t.Name).divideInGoes(r.job.BatchSize, n, least)) * r.job.Slowdown
			v.Scaling.Points = append(v.Scaling.Points, policy.SpeedPoint{Type: t.Name, Devices: n, StepsPerSecond: 1 / seconds})
			if n == v.Ask.GPUs.Count {
				v.Training.Rates = append(v.Training.Rates, policy.Rate{Type: t.Name, StepsPerSecond: 1 / seconds})
			}
		}
	}
	slices.SortFunc(v.Scaling.Points, func(a, b policy.SpeedPoint) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Devices, b.Devices))
	})
	slices.SortFunc(v.Training.Rates, func(a, b policy.Rate) int { return cmp.Compare(a.Type, b.Type) })
}

// Report brings what policies see of the job up to date.
func (r *Run) Report(v *policy.Job) {
	t := v.Training
	t.EpochsDone = r.epoch
	v.Progress = policy.KnownValue(min(r.progress/r.job.Total(), 1))
	epoch := min(r.epoch, r.job.EpochCount()-1)
	if r.information == Oracle {
		size := float64(r.job.BatchSize)
		t.Steps = max(r.job.iterations(r.job.EpochCount()-1, size), 1)
		t.StepsDone = max(t.Steps-r.job.IterationsLeft(r.epoch, size), 0)
		v.Scaling.Batch.GradSqr, v.Scaling.Batch.GradVar = r.job.noise(epoch, size)
		return
	}
	t.Steps, t.StepsDone = r.job.Total(), r.progress
	size := float64(r.job.InitialBatch)
	if len(r.on) > 0 {
		t.BatchSize = r.batch.Global
		size = float64(r.batch.Global)
	}
	if r.hasTrained { // else it never trained, and nothing is known of its gradient
		v.Scaling.Batch.GradSqr, v.Scaling.Batch.GradVar = r.job.noise(epoch, size)
	}
	if !r.hasTrained && r.information == Profiled { // until then any batch is worth its size
		v.Scaling.Batch.GradVar = 1
	}
	r.tellMeasured(v)
}

// tellMeasured tells what the job measured and fits to it, if any of it is new.
func (r *Run) tellMeasured(v *policy.Job) {
	s := &r.seen
	s.fit()
	v.Scaling.MaxSeenDevices = s.mostDevices
	if len(s.fits) == 0 {
		return
	}
	v.Scaling.Points, v.Scaling.StepTimes, v.Scaling.RelativeSigma = s.points, s.fits, s.sigma
	switch r.information {
	case Profiled:
		v.Scaling.StepTimes = s.carriedOver(v.Scaling.Batch)
	case Compared:
		v.Scaling.StepTimes = r.onOtherTypes()
	}
	v.Training.Rates = v.Training.Rates[:0]
	curve := scaling.New(v)
	for i := range v.Scaling.StepTimes {
		typ := v.Scaling.StepTimes[i].Type
		if rate := curve.Goodput(scaling.Size{Type: typ, Devices: v.Ask.GPUs.Count}); rate > 0 {
			v.Training.Rates = append(v.Training.Rates, policy.Rate{Type: typ, StepsPerSecond: rate})
		}
	}
}
