package exact

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// job is a job of the workload on its way. Its work is counted in units: steps
// of a training job, seconds on the reference GPU of any other.
type job struct {
	*workload.Job
	outcome         measure.JobOutcome
	totalUnits      float64 // in all
	doneUnits       float64
	unitRatesByType []float64 // units per second by type of the cluster, on what it asks
	batchClass      string    // of a training job at its present batch size
	batchSize       int
	wantedBatchSize int // the batch size it asks for; it takes effect when it is settled
	plannedRegimes  []policy.Regime
	trainingReport  *policy.Training // nil: it reports nothing

	heldAlloc            policy.Alloc       // what it holds; nil: nothing
	batchShares          policy.BatchShares // what its devices do there; nil: equal parts
	given                policy.Amounts     // cores and memory, where they are others than it asks
	unitsPerSecond       float64            // units per second there
	hasJustStarted       bool               // it did not run right before
	restartSecondsLeft   float64            // seconds it must run before it makes progress
	settledAt            float64            // when it was last settled
	expectedEnd          float64            // when it will have ended if nothing changes
	progressSeconds      float64            // seconds with progress
	serviceSinceDecision float64            // GPU-seconds since the last decision
	idleRounds           int                // rounds in a row in which it had nothing to do
	maxRunSeconds        float64            // seconds of run time after which it is ended; 0: none
	contentionAtArrival  contention
	hasEnded             bool
	// plannedProfile is what it reports instead of what it did; nil: what it did.
	profile *plannedProfile
	run     *goodput.Run // of a job whose speed stands in a profile; nil: of any other

	accountIndex, userIndex int // its own; see usage

	asNeighbour *policy.Job // what its owner accepts beside it
}

// updateWantedBatch notes the batch size the job wants, from the epochs it has completed.
func (j *job) updateWantedBatch() {
	if j.Training == nil || j.Training.Mode == "" {
		return
	}
	per := float64(j.Training.EpochSteps(j.batchSize))
	if per > 0 {
		j.wantedBatchSize = j.Training.NextBatch(int(math.Ceil(j.doneUnits/per)), j.batchSize, j.GPUs)
	}
}

// workWithin returns what the job can do in so many seconds, in whole steps if it
// trains, and whether that is all it has left.
func (j *job) workWithin(seconds float64) (units float64, all bool) {
	left, most := j.totalUnits-j.doneUnits, j.unitsPerSecond*seconds
	if j.Training != nil {
		most = math.Trunc(most)
	}
	return min(most, left), left <= most
}

// updateExpectedEnd notes when the job will have ended if it goes on from now.
func (j *job) updateExpectedEnd(now float64) {
	j.expectedEnd = now + j.restartSecondsLeft + (j.totalUnits-j.doneUnits)/j.unitsPerSecond
}

// newPolicyJob is the job as a policy sees it when it arrives.
func (j *job) newPolicyJob() policy.Job {
	class := j.Job.Class
	scaling, sharing, cpus := j.Scaling, j.Sharing, j.CPUScaling
	if j.IsSilent {
		class, scaling, sharing, cpus = "", nil, j.sharingTerms(), nil
	}
	v := policy.Job{
		ID: policy.JobID(j.ID), Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS,
		Partition: "gpu", State: policy.Pending, Submit: workload.CalendarTimeAt(j.Arrive), Arrive: workload.CalendarTimeAt(j.Arrive), EligibleAt: workload.CalendarTimeAt(j.Arrive),
		Limit: j.TimeLimit, MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs, Class: class, Shareable: j.IsShareable, ReplicaOf: j.ReplicaOf,
		Ask:      policy.Ask{GPUs: policy.GPUs{Type: j.GPUType, Count: j.GPUs}, CPUs: j.CPUs, MemMB: j.MemMB},
		Training: j.trainingReport, Scaling: scaling, Sharing: sharing, CPUScaling: cpus, AcceptsMixedTypes: j.AcceptsMixedTypes, EarlyEnd: j.EarlyEnd, ServiceSinceLast: policy.KnownValue(0),
	}
	if j.Partition != "" {
		v.Partition = j.Partition
	}
	if j.Deadline > 0 {
		v.Deadline, v.DeadlineValue = workload.CalendarTimeAt(j.Deadline), j.DeadlineValue
	}
	if j.IsUnstoppable {
		v.UnstoppableReason = "its owner does not let it be stopped"
	}
	if j.RestartCostSeconds > 0 {
		v.CheckpointCost = policy.DurationFromSeconds(j.RestartCostSeconds)
	}
	return v
}

// updatePolicyJob brings a view up to date.
func (j *job) updatePolicyJob(v *policy.Job) {
	v.ServiceSinceLast.Value = j.serviceSinceDecision
	if j.serviceSinceDecision == 0 && j.trainingReport == nil {
		return
	}
	v.Attained += policy.GPUSeconds(j.serviceSinceDecision)
	j.serviceSinceDecision = 0
	if j.run != nil && !j.IsSilent {
		j.run.Report(v)
	}
	if t := j.trainingReport; t != nil {
		j.updateReport(t)
		if j.totalUnits > 0 {
			v.Progress = policy.KnownValue(j.doneUnits / j.totalUnits)
		}
	}
}

// updateReport brings a report up to date.
func (j *job) updateReport(t *policy.Training) {
	t.Steps, t.StepsDone = j.totalUnits, j.doneUnits
	if j.Loss != nil {
		t.Losses = j.Loss.AppendReports(t.Losses, j.doneUnits, j.totalUnits)
	}
	if j.plannedRegimes == nil {
		return
	}
	per := float64(j.Training.EpochSteps(j.batchSize))
	t.Epochs = int(math.Ceil(j.totalUnits / per))
	t.EpochsDone = min(int(j.doneUnits/per), t.Epochs)
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

// sharingTerms are the terms on which its owner accepts neighbours, without what is known of
// how it does beside them; nil: none.
func (j *job) sharingTerms() *policy.Sharing {
	if j.Sharing == nil {
		return nil
	}
	return &policy.Sharing{
		JobsPerGPU:        j.Sharing.JobsPerGPU,
		AcceptsOtherUsers: j.Sharing.AcceptsOtherUsers,
		IsOpportunistic:   j.Sharing.IsOpportunistic,
	}
}

// plannedProfile is what the harness of Shockwave tells its policies of a job: not
// what it did, but what it planned, in whole seconds an epoch, corrected by its
// measured speed where that is far off. What is measured counts from the start
// of the workload, waiting included, as if the job had always gone as fast as
// when it last ran; so the correction is itself far off for jobs that waited
// long and go slower or faster than in their last planned epoch. It makes
// Shockwave's published fairness what it is.
type plannedProfile struct {
	plannedRegimes    []policy.Regime
	distinctRegimes   []policy.Regime // each batch size of the plan once, ascending
	samplesPerEpoch   float64         // in an epoch
	lastMeasuredRound int             // of the last measurement
	measuredSamples   float64         // samples, as measured
	slowdownFactor    float64         // by which epochs take longer than planned
}

// measurementTolerance is how far measured samples may be from the planned ones, relative
// to those, before they count.
const measurementTolerance = 0.4

func newPlannedProfile(j *job) *plannedProfile {
	p := &plannedProfile{plannedRegimes: slices.Clone(j.plannedRegimes), samplesPerEpoch: float64(workload.SampleCount(j.Training.Model)), slowdownFactor: 1}
	for i := range p.plannedRegimes {
		p.plannedRegimes[i].SecondsPerEpoch = max(1, math.RoundToEven(p.plannedRegimes[i].SecondsPerEpoch))
		r := policy.Regime{BatchSize: p.plannedRegimes[i].BatchSize, SecondsPerEpoch: p.plannedRegimes[i].SecondsPerEpoch}
		if at, found := slices.BinarySearchFunc(p.distinctRegimes, r, compareBatchSizes); !found {
			p.distinctRegimes = slices.Insert(p.distinctRegimes, at, r)
		}
	}
	return p
}

func compareBatchSizes(a, b policy.Regime) int { return cmp.Compare(a.BatchSize, b.BatchSize) }

// addMeasurement notes at the end of a round of so many seconds, the first being 1,
// that the job ran at the speed.
func (p *plannedProfile) addMeasurement(round int, seconds, speed float64) {
	p.measuredSamples += speed * seconds * float64(round-p.lastMeasuredRound)
	p.lastMeasuredRound = round
	planned := p.plannedSamples(seconds * float64(round))
	if p.measuredSamples > 0 && planned > 0 && math.Abs(p.measuredSamples-planned) > measurementTolerance*planned {
		p.slowdownFactor = planned / p.measuredSamples
	}
}

// plannedSamples returns the samples planned by a time from the start; beyond the plan its
// last epoch is repeated.
func (p *plannedProfile) plannedSamples(left float64) float64 {
	samples, epoch := 0.0, 1.0
	for _, r := range p.plannedRegimes {
		epoch = r.SecondsPerEpoch
		n := min(math.Floor(left/epoch), r.Epochs)
		left -= n * epoch
		samples += n * p.samplesPerEpoch
		if n < r.Epochs {
			break
		}
	}
	return samples + p.samplesPerEpoch*left/(epoch*p.slowdownFactor)
}

// fillReport puts the plan of the first so many epochs into a report.
func (p *plannedProfile) fillReport(t *policy.Training, epochs float64) {
	t.SeenRegimes, t.PossibleRegimes = t.SeenRegimes[:0], t.PossibleRegimes[:0]
	for _, r := range p.plannedRegimes {
		if epochs <= 0 {
			break
		}
		n := min(r.Epochs, epochs)
		epochs -= n
		t.SeenRegimes = append(t.SeenRegimes, policy.Regime{BatchSize: r.BatchSize, Epochs: n, SecondsPerEpoch: r.SecondsPerEpoch * p.slowdownFactor})
	}
	for _, r := range p.distinctRegimes {
		t.PossibleRegimes = append(t.PossibleRegimes, policy.Regime{BatchSize: r.BatchSize, SecondsPerEpoch: r.SecondsPerEpoch * p.slowdownFactor})
	}
}

// setForecast lets policies know what remains of jobs that do not report it: the truth, or what is predicted
// when they ask.
func (e *engine) setForecast(now time.Time) {
	s := &e.snapshot
	switch {
	case e.PredictsTruth:
		s.PredictionTrust = 1
		for i, j := range e.presentJobs {
			if !j.reportsItself() {
				s.Jobs[i].PredictedLeft = policy.DurationFromSeconds(max(e.trueSecondsLeft(j), 1))
			}
		}
	case e.RunTimes != nil:
		e.forecast = silentForecast{e.RunTimes.ForecastAt(now), e}
		s.Forecast = &e.forecast
	}
	if e.WatchDecision != nil {
		s.WriteForecast()
	}
}

// reportsItself reports whether the job itself tells what remains of it.
func (j *job) reportsItself() bool {
	return j.trainingReport != nil || j.run != nil && !j.IsSilent
}

// silentForecast is what is predicted of the jobs that do not report it themselves.
type silentForecast struct {
	policy.Forecast
	engine *engine
}

// PredictTimeLeft implements policy.Forecast.
func (f *silentForecast) PredictTimeLeft(v *policy.Job) (left, sigma time.Duration) {
	if j := f.engine.presentJob(v.ID); j == nil || j.reportsItself() {
		return 0, 0
	}
	return f.Forecast.PredictTimeLeft(v)
}

// trueSecondsLeft is how many seconds the job still runs where it is, or on its reference
// type where it waits, if its batch size changes as planned.
func (e *engine) trueSecondsLeft(j *job) float64 {
	if j.plannedRegimes != nil {
		return j.outcome.ExclusiveRunSeconds - j.progressSeconds
	}
	rate := j.unitsPerSecond
	if j.heldAlloc == nil {
		rate = j.unitRatesByType[max(e.speeds.referenceGPUType(j), 0)]
	}
	return j.restartSecondsLeft + (j.totalUnits-j.doneUnits)/rate
}

// teachRunTime tells the predictor of a job that ended at a time.
func (e *engine) teachRunTime(j *job, finish float64) {
	if e.RunTimes == nil {
		return
	}
	typ := j.GPUType
	if len(j.heldAlloc) > 0 {
		typ = j.heldAlloc.FirstType()
	}
	e.RunTimes.AddEndedRun(learn.Run{
		Job:   learn.Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: typ, GPUs: j.GPUs, Limit: j.TimeLimit},
		Start: workload.CalendarTimeAt(j.outcome.Start), End: workload.CalendarTimeAt(finish), Ran: policy.DurationFromSeconds(j.outcome.HeldSeconds),
	})
}
