package estimate

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
)

// shapeLine is the line of waiting jobs, in a queue for each shape: if one does not fit, none of its
// shape does, so that a pass over a line of thousands looks at the head of each queue. Jobs go by
// their places in line.
type shapeLine struct {
	jobs         []modelJob // the whole line
	queues       [][]int    // by shape: the places of those that may start, the first first
	order        []int      // the shapes whose queues are not empty, by the places of their heads
	later        []int      // the places of jobs that may not start yet, the soonest first
	count        int        // of jobs that wait
	startedTasks map[int]int
	current      int // of order: the shape that is looked at in this pass
}

// newShapeLine returns the line of jobs, of so many shapes.
func newShapeLine(jobs []modelJob, shapeCount int) shapeLine {
	l := shapeLine{jobs: jobs, queues: make([][]int, shapeCount), count: len(jobs)}
	for place := range jobs {
		if j := &jobs[place]; j.eligible > 0 {
			l.later = append(l.later, place)
		} else {
			l.queues[j.shape] = append(l.queues[j.shape], place)
		}
	}
	slices.SortStableFunc(l.later, func(a, b int) int { return cmp.Compare(jobs[a].eligible, jobs[b].eligible) })
	for shape := range l.queues {
		if l.queues[shape] = slices.Clip(l.queues[shape]); len(l.queues[shape]) > 0 {
			l.addToOrder(shape)
		}
	}
	return l
}

// clone returns a copy that may change; the queues themselves are copied when they do.
func (l *shapeLine) clone() shapeLine {
	c := *l
	c.queues, c.order, c.startedTasks = slices.Clone(l.queues), slices.Clone(l.order), map[int]int{}
	return c
}

func (l *shapeLine) head(shape int) int { return l.queues[shape][0] }

// addToOrder puts a shape where its head stands, in what is still to come of a pass.
func (l *shapeLine) addToOrder(shape int) {
	rest := l.order[l.current:]
	i, _ := slices.BinarySearchFunc(rest, l.head(shape), func(s, place int) int { return cmp.Compare(l.head(s), place) })
	l.order = slices.Insert(l.order, l.current+i, shape)
}

// beginPass goes to the head of the line, with those in it that may start by now.
func (l *shapeLine) beginPass(at time.Duration) {
	l.current = 0
	for len(l.later) > 0 && l.jobs[l.later[0]].eligible <= at {
		place := l.later[0]
		l.later = l.later[1:]
		shape := l.jobs[place].shape
		if i := slices.Index(l.order, shape); i >= 0 {
			l.order = slices.Delete(l.order, i, i+1)
		}
		i, _ := slices.BinarySearch(l.queues[shape], place)
		l.queues[shape] = slices.Clip(slices.Insert(slices.Clip(l.queues[shape]), i, place))
		l.addToOrder(shape)
	}
}

// nextEligible returns when next a job may start that may not yet.
func (l *shapeLine) nextEligible() time.Duration {
	if len(l.later) == 0 {
		return never
	}
	return l.jobs[l.later[0]].eligible
}

// next returns the job that is to be tried in this pass; nil: the pass is over.
func (l *shapeLine) next() *modelJob {
	if l.current == len(l.order) {
		return nil
	}
	return &l.jobs[l.head(l.order[l.current])]
}

// place returns the place in line of the job that is to be tried in this pass.
func (l *shapeLine) place() int { return l.head(l.order[l.current]) }

// passShape leaves the shape of the job that was tried for the rest of the pass.
func (l *shapeLine) passShape() { l.current++ }

// takeTask notes that a task of the job that was tried has started.
func (l *shapeLine) takeTask() {
	shape := l.order[l.current]
	place := l.head(shape)
	if n := l.jobs[place].TaskCount(); n > 1 {
		if l.startedTasks[place]++; l.startedTasks[place] < n {
			return
		}
	}
	l.count--
	l.order = slices.Delete(l.order, l.current, l.current+1)
	if l.queues[shape] = l.queues[shape][1:]; len(l.queues[shape]) > 0 {
		l.addToOrder(shape)
	}
}

// lookInterval is how far apart the looks at a job are that are kept and scored: at the first cycle
// of each hour, after the one at its first cycle. Of an array whose tasks start the last one is renewed.
const lookInterval = time.Hour

// LookTimes remembers when the waiting jobs of a partition were last looked at. The zero value
// remembers nothing.
type LookTimes struct {
	lastByJob map[policy.JobID]look
}

// look is when a job was looked at, and for how many tasks it stood.
type look struct {
	at    time.Time
	tasks int
}

// DueLook says which look at a job is due.
type DueLook int

// The looks.
const (
	FirstLook  DueLook = iota // nobody looked at it before
	HourlyLook                // the last one is of an earlier hour
	// RenewedLook is one in the place of the last, which is of the same hour: tasks of the array started
	// meanwhile, and that one was about them.
	RenewedLook
)

// TakeDue returns the jobs of a snapshot whose estimate is to be kept, and remembers that they were
// looked at: those that wait, that nothing keeps, and that never ran before.
func (t *LookTimes) TakeDue(s *policy.Snapshot) map[policy.JobID]DueLook {
	due := map[policy.JobID]DueLook{}
	next := map[policy.JobID]look{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.State != policy.Pending || j.HeldReason != "" || !j.FirstStart.IsZero() {
			continue
		}
		last, seen := t.lastByJob[j.ID]
		now := look{s.Now, j.TaskCount()}
		switch {
		case !seen:
			due[j.ID], last = FirstLook, now
		case s.Now.Truncate(lookInterval).After(last.at):
			due[j.ID], last = HourlyLook, now
		case now.tasks != last.tasks:
			due[j.ID], last = RenewedLook, now
		}
		next[j.ID] = last
	}
	t.lastByJob = next
	return due
}

// LineOfPlan returns the jobs of a plan by rank.
func LineOfPlan(p *policy.Plan) []policy.JobID {
	decisions := slices.Clone(p.Decisions)
	slices.SortFunc(decisions, func(a, b policy.Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	line := make([]policy.JobID, len(decisions))
	for i := range decisions {
		line[i] = decisions[i].Job
	}
	return line
}

// SizesOfPlan returns what a plan starts jobs on that are not to get what they ask for.
func SizesOfPlan(s *policy.Snapshot, p *policy.Plan) map[policy.JobID]policy.GPUs {
	sizes := map[policy.JobID]policy.GPUs{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		j := s.Job(d.Job)
		if d.Verb != policy.Start || len(d.On) != 1 || j == nil || j.State != policy.Pending || j.TaskCount() > 1 {
			continue
		}
		asked := j.Ask.GPUs
		given := policy.GPUs{Type: asked.Type, Count: d.On.Count(), PartPercent: asked.PartPercent}
		if asked.Type != "" {
			given.Type = d.On.FirstType()
		}
		if given != asked {
			sizes[d.Job] = given
		}
	}
	return sizes
}
