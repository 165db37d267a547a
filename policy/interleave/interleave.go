// Package interleave says how long a step takes of jobs that share GPUs and take turns at
// the resources they need: while one computes on the GPU, the next reads its input and the one
// before exchanges over the network. It is the model of Muri.
//
// Y. Zhao, Y. Liu, Y. Peng, Y. Zhu, X. Liu, X. Jin, "Multi-Resource Interleaving for
// Deep Learning Training", SIGCOMM 2022. The constants are those of its published simulator.
package interleave

import (
	"fairbridge/policy"
)

// StageCount is how many kinds of resource a step needs one after another: storage and
// cores, the GPU, the network.
const StageCount = 3

// MaxJobs is how many jobs may share GPUs: as many as there are turns in a cycle.
const MaxJobs = 4

// Stages are the seconds of one step for which a job needs each kind of resource, in the order of
// policy.Sharing.StageSeconds.
type Stages [StageCount]float64

// slowdowns are, by number of jobs, what a cycle of them takes in truth over what it takes
// where stages overlap without loss.
var slowdowns = [MaxJobs + 1]float64{2: 1.33 / 1.015, 3: 1.5 / 1.015, 4: 1.37 / 1.015}

// Job is what is known of one of the jobs.
type Job struct {
	Stages      Stages
	StepSeconds float64 // of a step alone
}

// JobOf returns what is known of a job's stages; false where its profile names them not, or
// says that it needs nothing.
func JobOf(s *policy.Sharing) (Job, bool) {
	if s == nil || len(s.StageSeconds) != StageCount {
		return Job{}, false
	}
	j := Job{Stages: Stages(s.StageSeconds), StepSeconds: s.StepSeconds}
	sum := j.Stages.sum()
	if j.StepSeconds <= 0 {
		j.StepSeconds = sum
	}
	return j, sum > 0
}

func (s Stages) sum() float64 {
	sum := 0.0
	for _, seconds := range s {
		sum += seconds
	}
	return sum
}

// StepSeconds returns how long a step of each of the jobs takes beside the others: all advance one
// step in a cycle. A job alone takes its own time. There are one to MaxJobs.
func StepSeconds(jobs []Job) float64 {
	if len(jobs) == 1 {
		return jobs[0].StepSeconds
	}
	stages := make([]Stages, len(jobs))
	for i, j := range jobs {
		stages[i] = j.Stages
	}
	return BestCycle(stages) * slowdowns[len(jobs)]
}

// IsSlowerThanTurns reports whether a step of the jobs beside each other takes longer than a
// step of each, one after another.
func IsSlowerThanTurns(jobs []Job) bool {
	sum := 0.0
	for _, j := range jobs {
		sum += j.StepSeconds
	}
	return len(jobs) > 1 && StepSeconds(jobs) > sum
}
