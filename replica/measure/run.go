// Package measure turns what happened in a simulated or real cluster into the
// figures people compare schedulers by. All times are seconds.
package measure

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"fairbridge/policy"
)

// JobOutcome is what became of one job.
type JobOutcome struct {
	ID                  int64   `json:"id"`
	User                string  `json:"user,omitempty"`
	Account             string  `json:"account,omitempty"`
	GPUCount            int     `json:"gpus"`
	Arrive              float64 `json:"arrive"`
	Start               float64 `json:"start"` // first
	Finish              float64 `json:"finish"`
	PredictedFinish     float64 `json:"predicted,omitempty"` // when it was said to finish as it arrived; 0: not
	ExclusiveRunSeconds float64 `json:"exclusive_s"`         // exclusive run time: on what it asks, never stopped
	LeastRunSeconds     float64 `json:"least_s,omitempty"`   // that it can do with; 0: ExclusiveRunSeconds
	MeanJobsPresent     float64 `json:"present,omitempty"`   // mean number of jobs present while it was
	StopCount           int     `json:"stops,omitempty"`
	HeldSeconds         float64 `json:"held_s"`               // seconds it held GPUs
	Service             float64 `json:"gpu_s"`                // GPU-seconds it held GPUs
	LostService         float64 `json:"lost_gpu_s,omitempty"` // GPU-seconds of Service that brought no progress
}

// StartCounts are first starts by what the last plan before wanted of the job: Planned, NoRoom, HeldBack and Unseen are
// all; the others are counts of those that were not planned.
type StartCounts struct {
	Planned  int `json:"planned"`   // to start
	NoRoom   int `json:"no_room"`   // to wait for room, so that nothing held the job
	HeldBack int `json:"held_back"` // to wait though there was room: no hold was allowed, or it had run out
	Unseen   int `json:"unseen"`    // no plan saw the job

	InOrder    int `json:"in_order"`   // of a job that was first in the plan's line of those that still waited
	Backfilled int `json:"backfilled"` // by backfill; the others by a main pass
	PastGang   int `json:"past_gang"`  // while the first job of a node or more in the plan's line waited
	Delaying   int `json:"delaying"`   // of PastGang: that one would have had its nodes earlier, as the running jobs ended
}

// Sum is the number of starts.
func (n StartCounts) Sum() int { return n.Planned + n.NoRoom + n.HeldBack + n.Unseen }

// ClusterSample is the cluster at one moment; it holds until the next one.
type ClusterSample struct {
	AtSeconds     float64            `json:"at"`
	BusyGPUs      int                `json:"busy"` // GPUs allocated
	RunningJobs   int                `json:"running"`
	QueuedJobs    int                `json:"queued"`
	GPUsByAccount map[string]float64 `json:"accounts,omitempty"` // by account, allocated; nil: not kept
}

// Run is one policy on one workload. As JSON it is one line, which is read back exactly:
// runs that were made elsewhere are put together as if they had been made here.
type Run struct {
	PolicyName      string          `json:"policy"`
	TraceName       string          `json:"trace"`
	Seed            int64           `json:"seed"`
	ClusterGPUs     int             `json:"cluster_gpus"` // of the cluster
	MakespanSeconds float64         `json:"makespan_s"`
	BusyGPUSeconds  float64         `json:"busy_gpu_s"` // GPU-seconds of work done, without overheads
	JobOutcomes     []JobOutcome    `json:"jobs"`
	Samples         []ClusterSample `json:"samples,omitempty"`
	WallSeconds     float64         `json:"wall_s"`             // seconds the simulation took
	DecideSeconds   []float64       `json:"decide_s,omitempty"` // seconds each decision took

	// WriteCount is how many edits were sent to Slurm, stops among them; exactly, none are.
	WriteCount int `json:"writes,omitempty"`
	// Starts counts the first starts through Slurm by what the last plan wanted of the jobs; zero where no plan was made.
	Starts StartCounts `json:"starts,omitzero"`
	// FillableIdleGPUSeconds are the GPU-seconds that stood idle while jobs waited that would
	// have fitted on them; negative: not known.
	FillableIdleGPUSeconds float64 `json:"fillable_idle_gpu_s"`
	// UnusableGPUSeconds are GPU-seconds that stood free where no waiting job could use them, BlockedGPUSeconds
	// those that jobs waited for although as many GPUs were free; see package fragment.
	UnusableGPUSeconds policy.OptionalValue `json:"unusable_gpu_s,omitzero"`
	BlockedGPUSeconds  policy.OptionalValue `json:"blocked_gpu_s,omitzero"`
	// ShareDeficit is the part of the GPU time due to accounts that they did not get; negative: not
	// known. See ComputeShareDeficit.
	ShareDeficit float64 `json:"share_deficit"`
	// HasOneSpeed says that every job does its work at one speed, so that LowerBounds holds.
	HasOneSpeed bool `json:"one_speed,omitempty"`
}

// JCTs returns the completion times, finish − arrival, in the order of Jobs.
func (r *Run) JCTs() []float64 {
	jct := make([]float64, len(r.JobOutcomes))
	for i, j := range r.JobOutcomes {
		jct[i] = j.Finish - j.Arrive
	}
	return jct
}

// Rhos returns the finish-time fairness of each job, in the order of Jobs: its
// completion time over its exclusive run time times the contention, which is
// the number of jobs in the whole workload over the GPUs, at least 1. It is
// rounded to 5 digits, as published with Shockwave.
func (r *Run) Rhos() []float64 {
	contention := max(1, float64(len(r.JobOutcomes))/float64(max(r.ClusterGPUs, 1)))
	return r.computeRhos(func(*JobOutcome) float64 { return contention })
}

// RhosByJobsPresent is Rho with the mean number of jobs that were present while the
// job was, the contention of Themis, in place of all jobs of the workload.
func (r *Run) RhosByJobsPresent() []float64 {
	return r.computeRhos(func(j *JobOutcome) float64 { return max(1, j.MeanJobsPresent/float64(max(r.ClusterGPUs, 1))) })
}

func (r *Run) computeRhos(contention func(*JobOutcome) float64) []float64 {
	rho := make([]float64, len(r.JobOutcomes))
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		if j.ExclusiveRunSeconds > 0 {
			rho[i] = math.RoundToEven((j.Finish-j.Arrive)/(j.ExclusiveRunSeconds*contention(j))*1e5) / 1e5
		}
	}
	return rho
}

// minSlowdownRunTime is the run time in seconds below which slowdown does not count how brief
// a job was: seconds of waiting before a job of one second are no harm.
const minSlowdownRunTime = 10

// Slowdown is the bounded slowdown: completion time over exclusive run time, of
// which at least 10 s count, and at least 1.
func (j *JobOutcome) Slowdown() float64 {
	return max((j.Finish-j.Arrive)/max(j.ExclusiveRunSeconds, minSlowdownRunTime), 1)
}

// MeanSlowdownByAccount returns the mean bounded slowdown of each account's jobs: who pays
// for a policy shows when it is compared with another's on the same jobs.
func (r *Run) MeanSlowdownByAccount() map[string]float64 {
	mean, jobs := map[string]float64{}, map[string]float64{}
	for i := range r.JobOutcomes {
		mean[r.JobOutcomes[i].Account] += r.JobOutcomes[i].Slowdown()
		jobs[r.JobOutcomes[i].Account]++
	}
	for name := range mean {
		mean[name] /= jobs[name]
	}
	return mean
}

// JobChange is something that changed in the cluster.
type JobChange struct {
	AtSeconds    float64
	Account      string
	GPUDelta     int // more, or fewer, allocated to the account
	RunningDelta int // more, or fewer, jobs
	QueuedDelta  int
}

// SamplesFromChanges returns the cluster over time, one sample for each moment in which
// something changed. It sorts the changes.
func SamplesFromChanges(changes []JobChange) []ClusterSample {
	slices.SortStableFunc(changes, func(a, b JobChange) int { return cmp.Compare(a.AtSeconds, b.AtSeconds) })
	var out []ClusterSample
	var now ClusterSample
	for i, c := range changes {
		now.AtSeconds = c.AtSeconds
		now.BusyGPUs += c.GPUDelta
		now.RunningJobs += c.RunningDelta
		now.QueuedJobs += c.QueuedDelta
		if c.GPUDelta != 0 {
			by := maps.Clone(now.GPUsByAccount)
			if by == nil {
				by = map[string]float64{}
			}
			by[c.Account] += float64(c.GPUDelta)
			now.GPUsByAccount = by
		}
		if i+1 == len(changes) || changes[i+1].AtSeconds > c.AtSeconds {
			out = append(out, now)
		}
	}
	return out
}
