package sizing

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
	"fairbridge/policy/solve/sizes"
)

// share gives the GPUs of one type to its jobs.
func (g *Group) share(judge Judge, assignments []engine.Assignment) {
	worth := judge.Judge(g)
	problem := g.newProblem(worth)
	solution := sizes.Solve(problem)
	for _, stays := range []bool{true, false} { // first those that stay, so that what moves finds what is left
		for i, e := range g.Jobs {
			if at := solution.Places[i]; stays == slices.Equal(at, problem.Items[i].Now) {
				assignments[e.Index] = g.assign(e, at, &worth[i])
			}
		}
	}
}

// assign takes the devices of a place for a job.
func (g *Group) assign(e *engine.Entry, at sizes.Place, worth *Worth) engine.Assignment {
	if len(at) == 0 {
		return leaveOut(e)
	}
	ask := e.Ask.Resized(at.Size())
	on := make(policy.Alloc, len(at))
	for k, part := range at {
		on[k] = policy.Slot{Node: g.nodes[part.Bin], Type: g.GPUType, Count: part.Count}
	}
	slices.SortFunc(on, policy.Slot.Compare)
	if g.Round.FreePool.Take(on, ask.CPUs, ask.MemMB) != nil {
		return g.keepOrWait(e)
	}
	t := engine.Assignment{Entry: e, DeviceCount: on.Count(), Grant: engine.Grant{HasLease: true}}
	if e.HoldsGPUs() && e.On.FirstType() != g.GPUType || e.Ask.GPUs.Type != "" && e.Ask.GPUs.Type != g.GPUType {
		t.Grant.GPUType = g.GPUType
	}
	if !isShaped(e) {
		t.Alloc = on
	}
	if !g.Round.OmitReasons && worth.Note != nil {
		t.Note = worth.Note(on.Count(), len(at))
	}
	return t
}

// isShaped reports whether the nodes of a job must be of a form that only the pool finds.
func isShaped(e *engine.Entry) bool {
	return e.Ask.MinNodes > 1 || e.Ask.MaxNodes > 0 || e.Ask.PerNode > 0 || len(e.Ask.RequiredNodes) > 0 || e.UnplaceableReason != ""
}

// leaveOut stops a job that gets nothing, or lets it wait.
func leaveOut(e *engine.Entry) engine.Assignment {
	t := LeastWithoutLease(e)
	if e.HoldsGPUs() {
		t.Grant.StopReason = "its GPUs are worth more to other jobs"
	}
	return t
}

// keepUnmoved lets jobs that were to move here from another type, and found no place, keep what they
// hold where it is free.
func (g *Group) keepUnmoved(assignments []engine.Assignment) {
	for _, e := range g.Jobs {
		if e.HoldsGPUs() && e.On.FirstType() != g.GPUType && !assignments[e.Index].Grant.HasLease {
			if t := g.keepOrWait(e); t.Grant.HasLease {
				assignments[e.Index] = t
			}
		}
	}
}

// keepOrWait is for a job whose place has GPUs, but too few cores or too little memory beside
// the others.
func (g *Group) keepOrWait(e *engine.Entry) engine.Assignment {
	t := LeastWithoutLease(e)
	if e.HoldsGPUs() && pool.TakeHeld(g.Round.FreePool, e.Job) == nil {
		t.Grant.HasLease = true
	}
	return t
}

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
