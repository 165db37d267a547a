package estimate

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
	"fairbridge/policy/scaling"
)

// model is what all draws have in common.
type model struct {
	now        time.Time
	free       *pool.Pool
	windowEnds []time.Duration // when times end in which nodes are set aside, ascending
	drawCount  int
	jobs       []modelJob // those that run, then those that wait, in their line
	runCount   int        // of those that run
	line       shapeLine  // of those that wait
	roomCount  int
	only       *modelJob // the one that is asked for; nil: all are
	smaller    []smallerJob
	stepShare  float64
}

// modelJob is a job, and what the draws say of it, in time from now.
type modelJob struct {
	*policy.Job
	left         timeLeft
	parts        []int // by draw: which part of left its run time comes from; nil: not asked for yet
	eligible     time.Duration
	shape        int // jobs of one shape fit or do not fit alike
	room         int // those of one room differ at most in their time limits
	ask          policy.Ask
	starts, ends []time.Duration
}

func (j *modelJob) addStart(at, length time.Duration) {
	j.starts, j.ends = append(j.starts, at), append(j.ends, at+length)
}

func newModel(in *Input) *model {
	s := in.Snapshot
	m := &model{now: s.Now, free: pool.New(s), drawCount: in.DrawCount}
	if m.stepShare = in.StepShare; m.stepShare <= 0 {
		m.stepShare = defaultStepShare
	}
	if m.drawCount <= 0 {
		m.drawCount = DefaultDrawCount
	}
	for i := range s.Nodes {
		for _, w := range s.Nodes[i].Windows {
			if !w.To.IsZero() {
				m.windowEnds = append(m.windowEnds, w.To.Sub(m.now))
			}
		}
	}
	slices.Sort(m.windowEnds)
	leftOf := newTimeLeftFunc(s, m.free)
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.HoldsGPUs() {
			m.jobs = append(m.jobs, modelJob{Job: j, left: leftOf(j, scaling.HeldPace(j))})
		}
	}
	m.runCount = len(m.jobs)
	m.addWaiting(in, leftOf)
	return m
}

// addWaiting adds the jobs of the line that may start.
func (m *model) addWaiting(in *Input, leftOf func(*policy.Job, scaling.Pace) timeLeft) {
	shapes, rooms := map[shapeKey]int{}, map[roomKey]int{}
	for _, id := range in.Line {
		j := in.Snapshot.Job(id)
		if j == nil || j.State != policy.Pending || j.HeldReason != "" {
			continue
		}
		if in.MaxWaiting > 0 && len(m.jobs)-m.runCount == in.MaxWaiting {
			break
		}
		w := newWaitingJob(j, in.Sizes[id], leftOf)
		w.eligible = max(j.EligibleAt.Sub(m.now), 0)
		w.room = numberOf(rooms, roomOf(&w))
		if slices.Contains(in.Smaller, id) {
			m.addSmaller(w, rooms)
			continue
		}
		w.shape = numberOf(shapes, shapeKey{w.room, w.ask.Limit})
		m.jobs = append(m.jobs, w)
	}
	m.roomCount = len(rooms)
	m.line = newShapeLine(m.jobs[m.runCount:], len(shapes))
	for i := range m.jobs {
		if m.jobs[i].ID == in.Only {
			m.only = &m.jobs[i]
		}
	}
}

// newWaitingJob is a job of the line, on GPUs that the plan starts it on in place of what it asks; zero: on that. Its
// cores and memory stay as its owner asked them.
func newWaitingJob(j *policy.Job, planned policy.GPUs, leftOf func(*policy.Job, scaling.Pace) timeLeft) modelJob {
	w, pace := modelJob{Job: j, ask: j.AskWithLimit()}, scaling.Pace{Speed: 1}
	if planned.Count > 0 {
		pace = scaling.PaceOn(j, scaling.Size{Type: planned.Type, Devices: planned.Count})
		cores, memory := w.ask.CPUs, w.ask.MemMB
		w.ask = w.ask.Resized(planned.Count)
		w.ask.GPUs.Type, w.ask.CPUs, w.ask.MemMB = planned.Type, cores, memory
	}
	w.left = leftOf(j, pace)
	return w
}

// roomKey tells rooms apart.
type roomKey struct {
	partition                         string
	gpus                              policy.GPUs
	minNodes, maxNodes, perNode, cpus int
	memMB                             int64
	limit                             time.Duration
	lists                             string       // what else is asked for, in words
	standIn                           policy.JobID // of a smaller job: itself
}

// roomOf returns the key of the room that a job needs.
func roomOf(j *modelJob) roomKey {
	a := &j.ask
	k := roomKey{partition: j.Partition, gpus: a.GPUs, minNodes: a.MinNodes, maxNodes: a.MaxNodes, perNode: a.PerNode, cpus: a.CPUs, memMB: a.MemMB, limit: a.Limit}
	if len(a.RequiredNodes)+len(a.ExcludedNodes)+len(a.Features)+len(a.TypesToTry) > 0 {
		k.lists = fmt.Sprint(a.RequiredNodes, a.ExcludedNodes, a.Features, a.TypesToTry)
	}
	return k
}

// shapeKey tells shapes apart.
type shapeKey struct {
	room  int
	limit time.Duration
}

// numberOf returns the number of a key, the next one if it has none.
func numberOf[K comparable](numbers map[K]int, key K) int {
	n, ok := numbers[key]
	if !ok {
		n = len(numbers)
		numbers[key] = n
	}
	return n
}

// runDraw lays out the time to come once.
func (m *model) runDraw(draw int) {
	f := &future{model: m, draw: draw, free: m.free.Clone(), line: m.line.clone(), blockedLimits: make([]time.Duration, m.roomCount)}
	running := make([]*runningJob, m.runCount)
	for i := range running {
		j := &m.jobs[i]
		length := f.lengthOf(j)
		j.ends = append(j.ends, length)
		running[i] = &runningJob{on: j.On, cpus: j.Ask.CPUs, memMB: j.Ask.MemMB, end: length, limitEnd: latestEnd(0, j.left.most)}
	}
	f.addAllRunning(running)
	f.run()
}
