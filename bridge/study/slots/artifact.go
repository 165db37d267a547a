package slots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/workload"
)

// artifactJob is a job as the artifact's Gandiva and Tiresias see it: so many GPUs for so long,
// whatever its speed on others would be.
type artifactJob struct {
	*workload.Job
	executed float64 // seconds
	overhead float64 // seconds without progress when it next runs
	end      float64
	started  bool
	start    float64

	// Of Tiresias alone.
	queue      int
	isRunning  bool
	checkedAt  float64
	plannedEnd float64
}

// newArtifactJobs returns the jobs by arrival.
func newArtifactJobs(c *exact.Config) []*artifactJob {
	jobs := make([]*artifactJob, len(c.Jobs))
	for i := range c.Jobs {
		jobs[i] = &artifactJob{Job: &c.Jobs[i]}
	}
	slices.SortStableFunc(jobs, func(a, b *artifactJob) int { return cmp.Compare(a.Arrive, b.Arrive) })
	return jobs
}

// noteStart notes when the job first ran.
func (j *artifactJob) noteStart(at float64) {
	if !j.started {
		j.started, j.start = true, at
	}
}

// arrivals are jobs that still arrive, by arrival.
type arrivals []*artifactJob

// next returns when arrivals are next handled after now; infinity: there are none.
func (a arrivals) next(now, slot float64) float64 {
	times := make([]float64, len(a))
	for i, j := range a {
		times[i] = j.Arrive
	}
	return nextEventTime(now, slot, times, false)
}

// take removes those that have arrived by a time.
func (a *arrivals) take(by float64) []*artifactJob {
	n := 0
	for n < len(*a) && (*a)[n].Arrive <= by {
		n++
	}
	came := (*a)[:n]
	*a = (*a)[n:]
	return came
}

// newArtifactRun writes down what became of the jobs.
func newArtifactRun(c *exact.Config, name string, gpus int, jobs []*artifactJob, started time.Time) *measure.Run {
	run := &measure.Run{PolicyName: name, Seed: c.Seed, ClusterGPUs: gpus, FillableIdleGPUSeconds: -1, ShareDeficit: -1}
	byID := slices.Clone(jobs)
	slices.SortFunc(byID, func(a, b *artifactJob) int { return cmp.Compare(a.ID, b.ID) })
	for _, j := range byID {
		run.JobOutcomes = append(run.JobOutcomes, measure.JobOutcome{ID: j.ID, User: j.User, Account: j.Account, GPUCount: j.GPUs, Arrive: j.Arrive, Start: j.start, Finish: j.end,
			ExclusiveRunSeconds: j.Duration, HeldSeconds: j.Duration, Service: j.Duration * float64(j.GPUs)})
		run.MakespanSeconds = max(run.MakespanSeconds, j.end)
		run.BusyGPUSeconds += j.Duration * float64(j.GPUs)
	}
	run.WallSeconds = time.Since(started).Seconds()
	return run
}

// checkArtifactJobs refuses what the artifact's baselines do not know: jobs larger than the
// cluster, jobs without a run time, nodes of several sizes and time without slots.
func checkArtifactJobs(c *exact.Config, jobs []*artifactJob, gpus int) error {
	if c.Clock.MinInterval <= 0 || gpus == 0 || gpus != len(c.Nodes)*cluster.MaxGPUsPerNode(c.Nodes) {
		return errors.New("the artifact's baselines need a clock with slots, and nodes with the same number of GPUs each")
	}
	for _, j := range jobs {
		if j.GPUs <= 0 || j.GPUs > gpus || !(j.Duration >= 0) || math.IsInf(j.Duration, 0) {
			return fmt.Errorf("%s: %d GPUs for %g s cannot run on %d GPUs", j.Location(), j.GPUs, j.Duration, gpus)
		}
	}
	return nil
}
