package estimate

import (
	"cmp"
	"slices"
	"time"
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
