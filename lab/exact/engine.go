package exact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/fragments"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// engine is a simulation under way: the jobs, what they hold, and what policies
// see of them. Its clocks are rounds and intervals.
type engine struct {
	Config
	cluster
	speeds            *speedTable
	trainingReports   *trainingReports
	forecast          silentForecast
	typesOfProfiles   []goodput.GPUType
	now               float64
	jobs              []job  // in the order of the workload
	futureJobs        []*job // still to arrive
	presentJobs       []*job // arrived and not ended, by id; snapshot.Jobs are their views
	runningJobs       []*job // those of them that run, by id
	endedPresentCount int    // jobs that ended and still stand in the list of those present
	endedTotalCount   int
	idleTime          time.Duration // for which nothing ran and no job was to arrive

	snapshot     policy.Snapshot
	jobRoom      room[policy.Job] // of snapshot.Jobs
	usage        *usage
	finishedJobs finishedJobs
	nodeWindows  nodeWindows
	contention   contention
	timeline     timeline
	freeMeter    fragments.Meter
	measuredRun  *measure.Run
}

func newEngine(c Config) (*engine, error) {
	e := &engine{Config: c, cluster: newCluster(c.Nodes), jobs: make([]job, len(c.Jobs)), nodeWindows: newNodeWindows(c.Nodes)}
	if c.Policy == nil || len(e.gpuTypes) == 0 {
		return nil, errors.New("a simulation needs a policy and nodes with GPUs")
	}
	if e.nodeInterference = c.NodeInterference; e.nodeInterference != nil {
		e.holders = nodeHolders{}
	}
	e.speeds = newSpeedTable(&c, e.gpuTypes)
	e.trainingReports = &trainingReports{speeds: e.speeds, reportsPlan: c.ReportsPlannedRegimes}
	e.measuredRun = &measure.Run{Seed: c.Seed, ClusterGPUs: e.gpuCount, FillableIdleGPUSeconds: -1}
	e.futureJobs = make([]*job, 0, len(c.Jobs))
	if err := CheckClockSuits(c.Jobs, c.Clock); err != nil {
		return nil, err
	}
	e.typesOfProfiles = e.listGPUTypes()
	l := jobLoader{speeds: e.speeds, reports: e.trainingReports, maxOverrunFactor: c.Clock.MaxOverrunFactor, gpuTypes: e.typesOfProfiles, information: cmp.Or(c.Information, goodput.Oracle)}
	for i := range c.Jobs {
		if err := l.loadJob(&e.jobs[i], &c.Jobs[i]); err != nil {
			return nil, err
		}
		e.hasShareableJobs = e.hasShareableJobs || c.Jobs[i].IsShareable
		e.futureJobs = append(e.futureJobs, &e.jobs[i])
	}
	if err := checkDuplicateIDs(e.futureJobs); err != nil {
		return nil, err
	}
	slices.SortStableFunc(e.futureJobs, func(a, b *job) int { return cmp.Or(cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.ID, b.ID)) })
	e.usage = newUsage(c.Accounts, c.Jobs, e.jobs)
	e.snapshot = policy.Snapshot{Cluster: "simulated", Nodes: e.nodeWindows.nodes, OmitReasons: c.OmitsReasons, OmitRanks: c.OmitsReasons && c.WatchDecision == nil, Accounts: e.usage.accounts, Users: e.usage.users}
	if !e.nodeWindows.hasWindows {
		e.snapshot.Scratch = &policy.Scratch{}
	}
	return e, nil
}

// checkDuplicateIDs names a job id that stands for two jobs.
func checkDuplicateIDs(jobs []*job) error {
	seen := make(map[int64]*workload.Job, len(jobs))
	for _, j := range jobs {
		if o := seen[j.ID]; o != nil {
			return fmt.Errorf("job id %d is given twice: lines %d and %d", j.ID, o.Line, j.Line)
		}
		seen[j.ID] = j.Job
	}
	return nil
}

// fillResults writes the results down.
func (e *engine) fillResults() {
	e.measuredRun.MakespanSeconds = e.now
	e.measuredRun.Samples = e.timeline.samples
	e.freeMeter.AddTo(e.measuredRun, e.now)
	e.measuredRun.JobOutcomes = make([]measure.JobOutcome, len(e.jobs))
	for i := range e.jobs {
		e.measuredRun.JobOutcomes[i] = e.jobs[i].outcome
	}
}

// admitArrivals lets jobs in whose time has come. It reports whether any did.
func (e *engine) admitArrivals() bool {
	n := 0
	for ; n < len(e.futureJobs) && e.futureJobs[n].Arrive <= e.now; n++ {
		e.admitJob(e.futureJobs[n])
	}
	e.futureJobs = e.futureJobs[n:]
	return n > 0
}

func (e *engine) admitJob(j *job) {
	i, _ := slices.BinarySearchFunc(e.presentJobs, j.ID, func(a *job, id int64) int { return cmp.Compare(a.ID, id) })
	e.presentJobs = slices.Insert(e.presentJobs, i, j)
	view := j.newPolicyJob()
	if j.run != nil && !j.IsSilent {
		j.run.Introduce(&view, e.typesOfProfiles)
	}
	if e.KeepsNodeShapes && j.MinGPUs == 0 {
		view.Ask.MinNodes, view.Ask.PerNode = j.NodeShape(e.Nodes)
	}
	e.snapshot.Jobs = e.jobRoom.insert(e.snapshot.Jobs, i, view)
	j.contentionAtArrival = e.contention
}

// endJob lets a job leave at a time.
func (e *engine) endJob(j *job, finish float64) {
	j.outcome.Finish, j.hasEnded = finish, true
	e.teachRunTime(j, finish)
	if j.heldAlloc != nil {
		e.releaseDevices(j)
	}
	j.outcome.MeanJobsPresent = e.contention.meanSince(j.contentionAtArrival)
	e.finishedJobs.addJob(policy.FinishedJob{GPUs: j.GPUs, Ran: policy.DurationFromSeconds(j.outcome.HeldSeconds), Service: policy.GPUSeconds(j.outcome.Service)})
	e.usage.noteLimitUse(j)
	e.endedPresentCount++
	e.endedTotalCount++
	if e.ReportProgress != nil && (e.endedTotalCount%100 == 0 || e.endedTotalCount == len(e.jobs)) {
		e.ReportProgress(e.endedTotalCount, len(e.jobs))
	}
}

// removeEnded takes the jobs that ended out of the lists. It reports whether any did.
func (e *engine) removeEnded() bool {
	if e.endedPresentCount == 0 {
		return false
	}
	for i := len(e.presentJobs) - 1; e.endedPresentCount > 0; i-- {
		if e.presentJobs[i].hasEnded {
			e.presentJobs = slices.Delete(e.presentJobs, i, i+1)
			e.snapshot.Jobs = deleteNear(e.snapshot.Jobs, i)
			e.endedPresentCount--
		}
	}
	e.runningJobs = slices.DeleteFunc(e.runningJobs, func(j *job) bool { return j.hasEnded })
	if len(e.presentJobs) == 0 {
		e.usage.updateTo(e.now) // the policy may not be asked for long, and usage decays from now
	}
	return true
}

// startCost is what a start costs the job, in seconds.
func (e *engine) startCost(j *job) float64 {
	return cmp.Or(j.RestartCostSeconds, e.Clock.RestartCost.Seconds())
}

// addRunTime books run time: with progress, and holding the GPUs.
func (e *engine) addRunTime(j *job, ran, held float64) {
	gpus := float64(j.heldAlloc.Count())
	j.progressSeconds += ran
	j.serviceSinceDecision += ran * gpus
	j.outcome.HeldSeconds += held
	j.outcome.Service += held * gpus
	e.measuredRun.BusyGPUSeconds += ran * gpus
	e.usage.chargeJob(j, ran*gpus, ran*e.BillingWeights.ChargedGPUs(j.heldAlloc))
}

// idlePatience is for how long a policy may start nothing where nothing runs and no job is to arrive: there are
// policies that let a new job wait for a while.
const idlePatience = 24 * time.Hour

// mayStartLater counts the time until the policy is asked again, and reports whether anything may happen by then.
func (e *engine) mayStartLater(wait time.Duration) bool {
	if e.idleTime += wait; len(e.runningJobs) > 0 || len(e.futureJobs) > 0 {
		e.idleTime = 0
	}
	return e.idleTime <= idlePatience
}

// deadlockError explains why nothing will ever happen again.
func (e *engine) deadlockError() error {
	return DeadlockError(e.now, len(e.presentJobs), e.presentJobs[0].Job, e.measuredRun.ClusterGPUs)
}

// DeadlockError says that so many jobs, one of them named, wait at a moment (seconds) from which
// on nothing will ever happen on a cluster of so many GPUs, and what to try.
func DeadlockError(now float64, waiting int, one *workload.Job, clusterGPUs int) error {
	return fmt.Errorf("at %.0f s nothing runs and no job is to arrive, but %d jobs wait, such as %s, which asks for %d GPUs of %d: the policy starts none of them; try a larger cluster or another policy", now, waiting, one.Location(), one.GPUs, clusterGPUs)
}

// maxSamples is how many samples a run keeps; when there are more, every second one
// is dropped and they are taken half as often.
const maxSamples = 4096

// timeline is the cluster over time.
type timeline struct {
	samples           []measure.ClusterSample
	minSampleInterval float64 // least time between two samples
}

// recordSample takes a sample of so many GPUs in use, with the jobs that run and how
// many wait, unless the last sample is still fresh.
func (t *timeline) recordSample(now float64, gpus int, running []*job, waiting, accounts int) {
	if n := len(t.samples); n > 0 && now-t.samples[n-1].AtSeconds < t.minSampleInterval {
		return
	}
	if len(t.samples) == maxSamples {
		t.dropEverySecondSample()
	}
	by := make(map[string]float64, accounts)
	for _, j := range running {
		by[j.Account] += float64(j.heldAlloc.Count())
	}
	t.samples = append(t.samples, measure.ClusterSample{AtSeconds: now, BusyGPUs: gpus, RunningJobs: len(running), QueuedJobs: waiting, GPUsByAccount: by})
}

func (t *timeline) dropEverySecondSample() {
	n := 0
	for i := 0; i < len(t.samples); i += 2 {
		t.samples[n] = t.samples[i]
		n++
	}
	clear(t.samples[n:])
	t.samples = t.samples[:n]
	t.minSampleInterval = max(2*t.minSampleInterval, (t.samples[n-1].AtSeconds-t.samples[0].AtSeconds)/maxSamples*2)
}

// contention counts the jobs present: their sum over rounds or seconds, and
// those.
type contention struct{ jobSum, weightSum float64 }

func (c *contention) add(jobs, span float64) {
	c.jobSum, c.weightSum = c.jobSum+jobs*span, c.weightSum+span
}

// meanSince returns the mean number of jobs since an earlier count.
func (c contention) meanSince(then contention) float64 {
	if c.weightSum == then.weightSum {
		return 1
	}
	return (c.jobSum - then.jobSum) / (c.weightSum - then.weightSum)
}

// maxFinishedJobs is how many finished jobs policies see.
const maxFinishedJobs = 1000

// finishedJobs is the latest finished jobs. Policies see them by service, as most would
// sort them so at every decision.
type finishedJobs struct {
	sortedByService []policy.FinishedJob
	sortedByEnd     []policy.FinishedJob // in the order of their ends, the oldest at next
	oldestIndex     int
}

func (h *finishedJobs) addJob(s policy.FinishedJob) {
	if len(h.sortedByEnd) < maxFinishedJobs {
		h.sortedByEnd = append(h.sortedByEnd, s)
	} else {
		i, _ := slices.BinarySearchFunc(h.sortedByService, h.sortedByEnd[h.oldestIndex], compareService)
		h.sortedByService = slices.Delete(h.sortedByService, i, i+1)
		h.sortedByEnd[h.oldestIndex] = s
		h.oldestIndex = (h.oldestIndex + 1) % maxFinishedJobs
	}
	i, _ := slices.BinarySearchFunc(h.sortedByService, s, compareService)
	h.sortedByService = slices.Insert(h.sortedByService, i, s)
}

func compareService(a, b policy.FinishedJob) int {
	return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Ran, b.Ran), cmp.Compare(a.GPUs, b.GPUs))
}

// room is the memory of a list of large values that grows and shrinks anywhere: it has space at both ends, so that only
// the shorter part of the list is moved.
type room[T any] struct{ all []T }

// insert inserts a value into the list, which is in the room.
func (r *room[T]) insert(list []T, i int, v T) []T {
	n, before := len(list), cap(r.all)-cap(list) // both end where the room ends
	if toFront := i < n/2; toFront && before == 0 || !toFront && cap(list) == n {
		r.all, before = make([]T, 3*n+8), n+2
		copy(r.all[before:], list)
		list = r.all[before : before+n]
	}
	if i < n/2 {
		list = r.all[before-1 : before+n]
		copy(list[:i], list[1:i+1])
	} else {
		list = list[:n+1]
		copy(list[i+1:], list[i:])
	}
	list[i] = v
	return list
}

// deleteNear deletes a value of a list, of which only the shorter part is moved.
func deleteNear[T any](list []T, i int) []T {
	if i < len(list)/2 {
		copy(list[1:i+1], list[:i])
		clear(list[:1])
		return list[1:]
	}
	copy(list[i:], list[i+1:])
	clear(list[len(list)-1:])
	return list[:len(list)-1]
}
