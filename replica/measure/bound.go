package measure

import (
	"cmp"
	"container/heap"
	"slices"
)

// LowerBounds are what no schedule of the same jobs on the same GPUs can fall below, in
// seconds, if every job does its work at one speed: no GPU type is faster for it than the
// one its exclusive run time is of, and it gains nothing from more GPUs than it asks for.
type LowerBounds struct {
	Makespan float64
	AvgJCT   float64
}

// LowerBounds works them out. The makespan is at least that of the longest job after its
// arrival, and from every arrival on at least the work of all jobs that arrive from then
// on over the GPUs. The mean completion time is at least that of the jobs alone; that of
// shortest remaining work first on one machine as fast as all GPUs together; and the least
// mean busy time on that machine plus half the run time alone (M. X. Goemans et al., "Single
// Machine Scheduling with Release Dates", SIAM J. Discrete Math. 2002).
func (r *Run) LowerBounds() LowerBounds {
	if len(r.JobOutcomes) == 0 || r.ClusterGPUs <= 0 {
		return LowerBounds{}
	}
	var b LowerBounds
	jobs := make([]boundJob, len(r.JobOutcomes))
	alone := 0.0
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		runs := cmp.Or(j.LeastRunSeconds, j.ExclusiveRunSeconds)
		jobs[i] = boundJob{arrive: j.Arrive, work: float64(j.GPUCount) * runs / float64(r.ClusterGPUs)}
		b.Makespan = max(b.Makespan, j.Arrive+runs)
		alone += runs / float64(len(jobs))
	}
	slices.SortStableFunc(jobs, func(x, y boundJob) int { return cmp.Compare(x.arrive, y.arrive) })
	after := 0.0
	for i := len(jobs) - 1; i >= 0; i-- {
		after += jobs[i].work
		b.Makespan = max(b.Makespan, jobs[i].arrive+after)
	}
	completion, _ := runOnOneMachine(slices.Clone(jobs), func(j *boundJob) float64 { return j.left })
	_, busy := runOnOneMachine(jobs, func(j *boundJob) float64 { return j.work })
	b.AvgJCT = max(alone, completion, busy+alone/2)
	return b
}

// boundJob is a job on one machine that is as fast as all GPUs together.
type boundJob struct {
	arrive, work, left float64
	busySum            float64 // integral of time over its work
}

// runOnOneMachine lets the machine work on the present job of the least rank, and returns
// the mean times from arrival to completion and to the mean moment of being worked on.
// Jobs are sorted by arrival.
func runOnOneMachine(jobs []boundJob, rank func(*boundJob) float64) (completion, busy float64) {
	line, now, n := jobLine{rank: rank}, 0.0, float64(len(jobs))
	for i := 0; i < len(jobs) || len(line.jobs) > 0; {
		if len(line.jobs) == 0 {
			now = max(now, jobs[i].arrive)
		}
		for ; i < len(jobs) && jobs[i].arrive <= now; i++ {
			jobs[i].left = jobs[i].work
			heap.Push(&line, &jobs[i])
		}
		j := line.jobs[0]
		span := j.left
		if i < len(jobs) {
			span = min(span, jobs[i].arrive-now)
		}
		j.busySum += span * (now + span/2)
		if now += span; span < j.left {
			j.left -= span
			heap.Fix(&line, 0)
			continue
		}
		heap.Pop(&line)
		completion += (now - j.arrive) / n
		if j.work > 0 {
			busy += (j.busySum/j.work - j.arrive) / n
		}
	}
	return completion, busy
}

// jobLine is a heap of jobs, the least rank first.
type jobLine struct {
	jobs []*boundJob
	rank func(*boundJob) float64
}

func (l *jobLine) Len() int           { return len(l.jobs) }
func (l *jobLine) Less(a, b int) bool { return l.rank(l.jobs[a]) < l.rank(l.jobs[b]) }
func (l *jobLine) Swap(a, b int)      { l.jobs[a], l.jobs[b] = l.jobs[b], l.jobs[a] }
func (l *jobLine) Push(x any)         { l.jobs = append(l.jobs, x.(*boundJob)) }
func (l *jobLine) Pop() any {
	last := l.jobs[len(l.jobs)-1]
	l.jobs = l.jobs[:len(l.jobs)-1]
	return last
}
