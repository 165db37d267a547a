package packs

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/interleave"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// view is a job as a policy sees it.
type view struct {
	policy.Job
	totalSteps float64
	service    float64 // GPU-seconds until the last decision
}

// In this simulator memory never binds. Policies that share only what is known to fit are told so: of GPUs and of jobs
// of whose memory nothing is said.
const (
	gpuMemMB = 80 << 10
	jobMemMB = 1 << 10
)

// nodesWithMemory are the nodes with the memory of their GPUs.
func nodesWithMemory(nodes []policy.Node) []policy.Node {
	nodes = slices.Clone(nodes)
	for i := range nodes {
		nodes[i].GPUs = slices.Clone(nodes[i].GPUs)
		for k := range nodes[i].GPUs {
			nodes[i].GPUs[k].MemMB = cmp.Or(nodes[i].GPUs[k].MemMB, gpuMemMB)
		}
	}
	return nodes
}

// newView is the job when it arrives. It is of one size, and accepts neighbours where it is known how
// fast it would be beside them.
func newView(j *Job, gpuType string) *view {
	at := workload.CalendarTimeAt(j.Arrive)
	v := &view{totalSteps: j.StepsLeft, Job: policy.Job{
		ID: policy.JobID(j.ID), Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS, Partition: "gpu", State: policy.Pending,
		Submit: at, Arrive: at, EligibleAt: at, Limit: j.TimeLimit, ServiceSinceLast: policy.KnownValue(0),
		Ask: policy.Ask{GPUs: policy.GPUs{Type: j.GPUType, Count: j.GPUs}, CPUs: j.CPUs, MemMB: j.MemMB},
	}}
	if j.Deadline > 0 {
		v.Deadline = workload.CalendarTimeAt(j.Deadline)
	}
	if j.IsUnstoppable {
		v.UnstoppableReason = "its owner does not let it be stopped"
	}
	if j.IsSilent {
		return v
	}
	v.Class = j.Class
	v.Training = &policy.Training{Steps: v.totalSteps, Rates: []policy.Rate{{Type: gpuType, StepsPerSecond: 1 / j.StepSeconds}}}
	if _, known := modelOf(j); known {
		terms := *j.Sharing
		terms.StepSeconds, terms.JobsPerGPU, terms.MemMB = j.StepSeconds, min(terms.JobsPerGPU, interleave.MaxJobs), cmp.Or(terms.MemMB, jobMemMB)
		v.Shareable, v.Sharing = true, &terms
	}
	return v
}

// update brings it up to date before a decision.
func (v *view) update(j *Job) {
	since := j.outcome.Service - v.service
	v.service = j.outcome.Service
	v.Attained += policy.GPUSeconds(since)
	v.ServiceSinceLast = policy.KnownValue(since)
	if v.Training != nil {
		training := *v.Training
		training.StepsDone = min(max(v.totalSteps-j.StepsLeft, 0), v.totalSteps)
		v.Training, v.Progress = &training, policy.KnownValue(training.StepsDone/v.totalSteps)
	}
}

// vacate takes its GPUs from a job that is to leave them.
func (v *view) vacate(verb policy.Verb, now time.Time) {
	switch verb {
	case policy.Stop:
		v.State, v.LastStop, v.Start = policy.Pending, now, time.Time{}
	case policy.Move, policy.Resize:
	default:
		return
	}
	v.On = nil
	v.StopCount++
}

// occupy gives it GPUs.
func (v *view) occupy(on policy.Alloc, now time.Time) {
	v.State, v.On, v.Start = policy.Running, on, now
	if v.FirstStart.IsZero() {
		v.FirstStart = now
	}
}

// Job is a job at a moment, as rules see it. Its work is counted in steps. Only its Rule's own
// scratch may be kept between moments; everything here is the simulation's.
type Job struct {
	*workload.Job
	Order           int     // 0, 1, … as jobs arrive; of those that arrive together, as the workload has them
	StepSeconds     float64 // of a step, alone
	StartSeconds    float64 // without progress after each event while it runs alone
	StepsLeft       float64
	ExecutedSeconds float64 // seconds it has run so far, starts included
	IsRunning       bool    // it ran until this moment

	choice          int  // the last one of the rule for which it was there
	hasRun          bool // before that
	settledAt       float64
	packStepSeconds float64 // of a step in its pack; only while it runs
	packStart       float64 // as StartSeconds, in its pack
	outcome         measure.JobOutcome
}

// newJob prepares a job. A trace tells how long it ran and how long a step of it took when it was
// measured: it has as many whole steps as that makes, each by stepFactor longer. Of a job that tells no
// step, one is a second.
func newJob(w *workload.Job, gpuType string) (*Job, error) {
	if w.Training != nil || !(w.Duration > 0) || math.IsInf(w.Duration, 0) || !(w.Arrive >= 0) {
		return nil, fmt.Errorf("%s: to run in packs it needs a run time, and no throughput tables", w.Location())
	}
	if w.GPUType != "" && w.GPUType != gpuType {
		return nil, fmt.Errorf("%s: it asks for GPUs of type %s, and the cluster has %s", w.Location(), w.GPUType, gpuType)
	}
	ms := 1000.0
	if w.Sharing != nil && w.Sharing.StepSeconds > 0 {
		ms = math.Round(w.Sharing.StepSeconds*1e9) / 1e6
	}
	duration := w.Duration
	if v := w.Speeds[gpuType]; v > 0 {
		duration /= v
	}
	j := &Job{Job: w, StepSeconds: ms * stepFactor / 1000, StartSeconds: startSeconds(w.Class, w.GPUs)}
	j.StepsLeft = max(math.Floor(duration*1000/ms+1e-6), 1)
	j.outcome = measure.JobOutcome{ID: w.ID, User: w.User, Account: w.Account, GPUCount: w.GPUs, Arrive: w.Arrive, Start: -1, ExclusiveRunSeconds: j.StepsLeft * j.StepSeconds}
	return j, nil
}

// SecondsLeft is how long the job still runs alone, without starts.
func (j *Job) SecondsLeft() float64 { return j.StepsLeft * j.StepSeconds }

// settle books what the job did until a time, in the simulator's order of operations.
func (j *Job) settle(to float64) {
	if j.IsRunning {
		held := to - j.settledAt
		j.StepsLeft -= max(held-j.packStart, 0) / j.packStepSeconds
		j.ExecutedSeconds = (j.ExecutedSeconds + to) - j.settledAt
		j.outcome.HeldSeconds += held
		j.outcome.Service += held * float64(j.GPUs)
		j.outcome.LostService += min(held, j.packStart) * float64(j.GPUs)
	}
	j.settledAt = to
}

// end is when the job ends if nothing happens before. The start is not reckoned in, so that each
// event puts off the ends of all that run.
func (j *Job) end(now float64) float64 { return now + float64(j.StepsLeft*j.packStepSeconds) }

// stepFactor is how much longer a step takes in the simulator than was measured.
const stepFactor = 1.015

// otherStartSeconds is what the start of a model without a row of its own takes.
const otherStartSeconds = 10

// startSecondsByModel is how long a start takes on 1, 2, 4, 8, 16 and 32 GPUs, as Muri's authors
// measured it.
var startSecondsByModel = map[string][6]float64{
	"vgg16":              {7, 7, 8, 9, 9, 10},
	"vgg19":              {7, 7, 8, 9, 10, 10},
	"resnet18":           {4, 5, 5, 7, 7, 7},
	"shufflenet_v2_x1_0": {4, 4, 5, 5, 7, 8},
	"a2c":                {38, 39, 39, 46, 46, 46},
	"dqn":                {5, 5, 6, 6, 8, 8},
}

// startSeconds is how long a start of the model takes on so many GPUs; numbers that were not
// measured take what the next larger one does, and the largest what was measured last.
func startSeconds(model string, gpus int) float64 {
	row, known := startSecondsByModel[model]
	if !known {
		return otherStartSeconds
	}
	return row[min(bits.Len(uint(gpus-1)), len(row)-1)]
}
