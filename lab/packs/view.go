package packs

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/interleave"
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
