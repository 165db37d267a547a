// Package interleave says how long a step takes of jobs that share GPUs and take turns at
// the resources they need: while one computes on the GPU, the next reads its input and the one
// before exchanges over the network. It is the model of Muri.
//
// Y. Zhao, Y. Liu, Y. Peng, Y. Zhu, X. Liu, X. Jin, "Multi-Resource Interleaving for
// Deep Learning Training", SIGCOMM 2022. The constants are those of its published simulator.
package interleave

import (
	"math"
	"slices"

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

// Times remembers how long steps of packs take, by what is known of their jobs: clusters run
// few kinds of jobs, and are asked about the same packs again and again. The zero value is ready.
type Times struct {
	kinds   map[Job]uint32
	known   []Job // by kind, from 1
	seconds map[packKinds]float64
}

// packKinds are the kinds of the jobs of a pack, the smallest first; 0: there is none.
type packKinds [MaxJobs]uint32

// kindOf numbers what is known of a job.
func (t *Times) kindOf(j Job) uint32 {
	if t.kinds == nil {
		t.kinds, t.known, t.seconds = map[Job]uint32{}, make([]Job, 1), map[packKinds]float64{}
	}
	kind, seen := t.kinds[j]
	if !seen {
		kind = uint32(len(t.known))
		t.kinds[j], t.known = kind, append(t.known, j)
	}
	return kind
}

// StepSeconds is the function of that name, remembered.
func (t *Times) StepSeconds(jobs []Job) float64 {
	var kinds packKinds
	for i, j := range jobs {
		kinds[MaxJobs-1-i] = t.kindOf(j)
	}
	slices.Sort(kinds[:])
	return t.ofKinds(kinds)
}

// ofKinds is StepSeconds by kinds.
func (t *Times) ofKinds(kinds packKinds) float64 {
	seconds, seen := t.seconds[kinds]
	if !seen {
		var jobs []Job
		for _, k := range kinds {
			if k != 0 {
				jobs = append(jobs, t.known[k])
			}
		}
		seconds = StepSeconds(jobs)
		t.seconds[kinds] = seconds
	}
	return seconds
}

// turnCount is how many turns of a cycle are followed, the first among them.
const turnCount = 2 * MaxJobs

// BestCycle returns the seconds of a cycle of the jobs in the order in which it is shortest, two
// of them also where each reads its input while the other computes and exchanges. There are
// one to MaxJobs of them.
func BestCycle(jobs []Stages) float64 {
	best := math.Inf(1)
	forEachOrder(slices.Clone(jobs), 0, func(order []Stages) { best = min(best, Cycle(order)) })
	if len(jobs) == 2 {
		best = min(best, besideInput(jobs[0], jobs[1])+besideInput(jobs[1], jobs[0]))
	}
	return best
}

// besideInput is how long a job reads its input while the other computes and exchanges.
func besideInput(j, other Stages) float64 { return max(j[0], other[1]+other[2]) }

// forEachOrder calls what it is given with each order of the jobs from the one at next on.
func forEachOrder(jobs []Stages, next int, try func([]Stages)) {
	if next == len(jobs) {
		try(jobs)
		return
	}
	for i := next; i < len(jobs); i++ {
		jobs[next], jobs[i] = jobs[i], jobs[next]
		forEachOrder(jobs, next+1, try)
		jobs[next], jobs[i] = jobs[i], jobs[next]
	}
}

// Cycle returns the seconds in which each of the jobs, taking turns in their order, advances one
// step: the time between a turn and the same turn of the next cycle, once that no longer changes.
// In every turn one job is on the network, the next on the GPU and the one after that at its
// input, for which it has the turn before as well.
func Cycle(order []Stages) float64 {
	var ends [turnCount + 1]float64
	for i := range turnCount {
		end := 0.0
		if a := (i + 1) % MaxJobs; a < len(order) {
			end = max(end, ends[i]+order[a][2])
		}
		if b := (i + 2) % MaxJobs; b < len(order) {
			end = max(end, ends[i]+order[b][1])
		}
		if c := (i + 3) % MaxJobs; c < len(order) && i > 0 {
			end = max(end, ends[i-1]+order[c][0])
		}
		ends[i+1] = end
		if i < MaxJobs {
			continue
		}
		cycle, before := end-ends[i+1-MaxJobs], ends[i]-ends[i-MaxJobs]
		if math.Abs(cycle-before) <= 1e-3*max(cycle, before) && cycle != 0 {
			return cycle
		}
	}
	return ends[turnCount] - ends[turnCount-MaxJobs]
}
