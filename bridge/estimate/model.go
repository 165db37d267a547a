package estimate

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// model is what all draws have in common.
type model struct {
	now        time.Time
	free       *pool.Pool
	windowEnds []time.Duration // when times end in which nodes are set aside, ascending
	drawCount  int
	jobs       []modelJob // those that run, then those that wait, in their line
	runCount   int        // of those that run
	shapeCount int
}

// modelJob is a job, and what the draws say of it, in time from now.
type modelJob struct {
	*policy.Job
	left         timeLeft
	parts        []int // by draw: which part of left its run time comes from
	eligible     time.Duration
	shape        int // jobs of one shape fit or do not fit alike
	ask          policy.Ask
	starts, ends []time.Duration
}

func newModel(in *Input) *model {
	s := in.Snapshot
	m := &model{now: s.Now, free: pool.New(s), drawCount: in.DrawCount}
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
			m.jobs = append(m.jobs, modelJob{Job: j, left: leftOf(j), parts: partsOfDraws(j.ID, m.drawCount)})
		}
	}
	m.runCount = len(m.jobs)
	m.addWaiting(in, leftOf)
	return m
}

// addWaiting adds the jobs of the line that may start.
func (m *model) addWaiting(in *Input, leftOf func(*policy.Job) timeLeft) {
	shapes := map[string]int{}
	for _, id := range in.Line {
		j := in.Snapshot.Job(id)
		if j == nil || j.State != policy.Pending || j.HeldReason != "" {
			continue
		}
		if in.MaxWaiting > 0 && len(m.jobs)-m.runCount == in.MaxWaiting {
			break
		}
		w := modelJob{Job: j, left: leftOf(j), parts: partsOfDraws(j.ID, m.drawCount), eligible: max(j.EligibleAt.Sub(m.now), 0), ask: j.AskWithLimit()}
		key := fmt.Sprint(j.Partition, w.ask)
		if _, ok := shapes[key]; !ok {
			shapes[key] = len(shapes)
		}
		w.shape = shapes[key]
		m.jobs = append(m.jobs, w)
	}
	m.shapeCount = len(shapes)
}

// runDraw lays out the time to come once.
func (m *model) runDraw(draw int) {
	f := &future{model: m, free: m.free.Clone(), blockedInPass: make([]int, m.shapeCount)}
	for i := range m.jobs {
		j := &m.jobs[i]
		length := j.left.draw(j.parts[draw], m.drawCount)
		if i >= m.runCount {
			f.waiting = append(f.waiting, waitingJob{modelJob: j, length: length, taskCount: j.TaskCount()})
			continue
		}
		j.ends = append(j.ends, length)
		f.addRunning(&runningJob{on: j.On, cpus: j.Ask.CPUs, memMB: j.Ask.MemMB, end: length, limitEnd: latestEnd(0, j.left.most)})
	}
	f.run()
}
