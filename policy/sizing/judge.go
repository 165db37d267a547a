package sizing

import "fairbridge/policy/engine"

// Worth says what places are worth to a job.
type Worth struct {
	Options []int                            // numbers of GPUs it may have besides none, ascending
	Of      func(devices, nodes int) float64 // what so many on so many nodes are worth, 0 or more
	// Full, where positive, is no less than any of them: then the sum of what all have is the
	// most it can be, else the harmonic mean is.
	Full   float64
	Change float64                         // what it keeps of its worth elsewhere than now, 0..1
	Note   func(devices, nodes int) string // why it has so many, for its owner
}

// A Judge says what places are worth to the jobs of a group, in the order of Group.Jobs.
type Judge interface {
	Judge(*Group) []Worth
}

// A TypeChooser is a Judge that first moves jobs to the groups of other types (Group.Move). All of Group.Jobs have given back
// what they hold.
type TypeChooser interface {
	ChooseTypes([]*Group)
}

// Share chooses sizes and nodes together: it shares the GPUs of each type among the jobs that take part, and writes what each has into
// the assignments, which are by Entry.Index. Jobs that do not take part keep what they hold.
func Share(r *engine.Round, assignments []engine.Assignment, takesPart func(*engine.Entry) bool, judge Judge) {
	mark := r.FreePool.UndoMark()
	groups := listGroups(r, takesPart)
	for _, g := range groups {
		g.releaseMovable()
	}
	if c, ok := judge.(TypeChooser); ok {
		c.ChooseTypes(groups)
	}
	for _, g := range groups {
		g.share(judge, assignments)
	}
	for _, g := range groups {
		g.keepUnmoved(assignments)
	}
	r.FreePool.Rewind(mark)
}
