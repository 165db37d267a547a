package slots

import (
	"math"
	"slices"
	"time"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/measure"
)

// tiresiasLimits are the GPU-seconds after which a job leaves the first and the second queue.
var tiresiasLimits = [...]float64{3250, 7200}

// tiresias is the artifact's DLAS-GPU under way.
type tiresias struct {
	gpus      int
	slot      float64
	overheads overheads
	coming    arrivals
	active    []*artifactJob // most GPUs first since the last event, then by arrival
	queues    [len(tiresiasLimits) + 1][]*artifactJob
	ending    []*artifactJob // those that end next
	endAt     float64
	jumpAt    float64 // when a job next leaves its queue
	restarted bool    // the last event restarted all processes
}

// RunArtifactTiresias simulates the artifact's DLAS-GPU: Tiresias with three queues by attained
// GPU time, GPUs only counted. Like the artifact it reckons in whole seconds, lets a job leave one queue at an
// event, looks for the next to leave a queue by (limit - seconds run)/GPUs, and charges each start an
// overhead that delays the end beyond what it first reckoned.
func RunArtifactTiresias(c exact.Config) (*measure.Run, error) {
	started := time.Now()
	jobs, gpus := newArtifactJobs(&c), cluster.CountGPUs(c.Nodes)
	if err := checkArtifactJobs(&c, jobs, gpus); err != nil {
		return nil, err
	}
	t := &tiresias{gpus: gpus, slot: c.Clock.MinInterval.Seconds(), overheads: newOverheads(c.Clock, gpus), coming: arrivals(jobs), endAt: math.Inf(1), jumpAt: math.Inf(1)}
	arrival := math.Inf(1)
	if len(jobs) > 0 {
		arrival = jobs[0].Arrive
	}
	for len(t.coming)+len(t.active) > 0 {
		now := min(arrival, t.endAt, t.jumpAt)
		if t.jumpAt >= min(arrival, t.endAt) {
			t.handleEvents(now, arrival)
		}
		t.settle(now)
		t.schedule()
		t.planEnds(now)
		arrival = t.coming.next(now, t.slot)
	}
	return newArtifactRun(&c, "artifact-tiresias", gpus, jobs, started), nil
}

// handleEvents lets jobs end and arrive whose event is now.
func (t *tiresias) handleEvents(now, arrival float64) {
	if t.endAt == now {
		for _, j := range t.ending {
			j.end = j.plannedEnd
			t.active = remove(t.active, j)
			t.queues[j.queue] = remove(t.queues[j.queue], j)
		}
	}
	if arrival == now {
		for _, j := range t.coming.take(now) {
			j.checkedAt = now
			t.active = append(t.active, j)
			t.queues[0] = append(t.queues[0], j)
		}
	}
}

// settle books what ran and moves jobs that received enough one queue down.
func (t *tiresias) settle(now float64) {
	for _, j := range t.active {
		if j.isRunning {
			j.executed = math.Trunc(j.executed + max(math.Trunc(now-j.checkedAt)-j.overhead, 0))
			j.overhead = 0
			if q := j.queue; q < len(tiresiasLimits) && j.executed*float64(j.GPUs) >= tiresiasLimits[q] {
				t.queues[q] = remove(t.queues[q], j)
				t.queues[q+1] = append(t.queues[q+1], j)
				j.queue++
			}
		}
		j.checkedAt = now
	}
}

// schedule gives the GPUs to the queues in order; in each, jobs that wait then go behind those
// that run.
func (t *tiresias) schedule() {
	restarts := t.overheads.nextEvent()
	free := t.gpus
	for q := range t.queues {
		var waiting []*artifactJob
		running := make([]*artifactJob, 0, len(t.queues[q]))
		for _, j := range t.queues[q] {
			fits := free >= j.GPUs
			if fits && (!j.isRunning || restarts) {
				j.overhead = t.overheads.seconds(j.GPUs, restarts)
			}
			if j.isRunning = fits; fits {
				free -= j.GPUs
				running = append(running, j)
			} else {
				waiting = append(waiting, j)
			}
		}
		t.queues[q] = append(running, waiting...)
	}
	t.restarted = restarts
	slices.SortStableFunc(t.active, func(a, b *artifactJob) int { return b.GPUs - a.GPUs })
}

// planEnds reckons which jobs end next, and when a job next leaves its queue.
func (t *tiresias) planEnds(now float64) {
	t.ending, t.endAt, t.jumpAt = nil, math.Inf(1), math.Inf(1)
	for _, j := range t.active {
		if !j.isRunning {
			continue
		}
		j.noteStart(now)
		left := j.Duration - j.executed
		if t.restarted {
			left += j.overhead
		}
		j.plannedEnd = math.Trunc(now + left)
		switch at := max(now+t.slot, j.plannedEnd); {
		case at < t.endAt:
			t.ending, t.endAt = []*artifactJob{j}, at
		case at == t.endAt:
			t.ending = append(t.ending, j)
		}
		if j.queue < len(tiresiasLimits) {
			jump := math.Ceil((tiresiasLimits[j.queue]-j.executed)/float64(j.GPUs)) + now
			t.jumpAt = min(t.jumpAt, max(jump, now+t.slot))
		}
	}
}

// remove takes a job out of a list.
func remove(list []*artifactJob, j *artifactJob) []*artifactJob {
	return slices.DeleteFunc(list, func(o *artifactJob) bool { return o == j })
}
