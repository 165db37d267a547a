package sizing

import (
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// Group is the GPUs of one type and the jobs that may get them.
type Group struct {
	Round      *engine.Round
	GPUType    string
	Devices    int             // of the type, those of nodes that are down included
	MostOnNode int             // devices
	Jobs       []*engine.Entry // that take part, first come first
	Fixed      []*engine.Entry // those that run on the type and cannot be moved now

	nodes     []string // that have the type
	nodeIndex map[string]int
	demanded  int // devices that jobs of the group need at least
}

// mostPerDevice bounds how many devices the jobs considered need at least, as a multiple of
// those there are: the others, who came later, wait in any case.
const mostPerDevice = 2

// listGroups returns a group for each GPU type.
func listGroups(r *engine.Round, takesPart func(*engine.Entry) bool) []*Group {
	var groups []*Group
	for _, typ := range r.GPUTypes() { // the fastest first
		findGroup(&groups, r, typ)
	}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			if d.IsWholeGPU() {
				g := findGroup(&groups, r, d.Type)
				g.nodeIndex[r.Nodes[i].Name] = len(g.nodes)
				g.nodes = append(g.nodes, r.Nodes[i].Name)
				g.Devices, g.MostOnNode = g.Devices+d.Count, max(g.MostOnNode, d.Count)
			}
		}
	}
	var open []*engine.Entry
	for _, e := range ByArrival(r.Entries) {
		if g := groupOf(groups, e); g != nil {
			g.add(e, takesPart(e))
		} else if !takesPart(e) {
			continue
		} else if e.Ask.GPUs.Type == "" && !e.HoldsGPUs() {
			open = append(open, e)
		}
	}
	for _, e := range open {
		if g := fastestWithRoom(r, groups, e); g != nil {
			g.add(e, true)
		}
	}
	return groups
}

func findGroup(groups *[]*Group, r *engine.Round, typ string) *Group {
	for _, g := range *groups {
		if g.GPUType == typ {
			return g
		}
	}
	g := &Group{Round: r, GPUType: typ, nodeIndex: map[string]int{}}
	*groups = append(*groups, g)
	return g
}

// groupOf returns the group of the type that a job holds or asks; nil: it is open.
func groupOf(groups []*Group, e *engine.Entry) *Group {
	typ := e.Ask.GPUs.Type
	if len(e.On) > 0 {
		typ = e.On.FirstType()
	}
	for _, g := range groups {
		if g.GPUType == typ {
			return g
		}
	}
	return nil
}

// fastestWithRoom returns the group of the fastest type for a job that takes any, of those that
// the jobs before it leave enough of; where there is none, of the fastest.
func fastestWithRoom(r *engine.Round, groups []*Group, e *engine.Entry) *Group {
	var types []string
	for _, g := range groups {
		types = append(types, g.GPUType)
	}
	r.SortFastestFirst(e.Job, types)
	slices.SortStableFunc(types, func(a, b string) int {
		return rankOfRoom(findGroup(&groups, r, a), e) - rankOfRoom(findGroup(&groups, r, b), e)
	})
	if len(types) == 0 {
		return nil
	}
	return findGroup(&groups, r, types[0])
}

// rankOfRoom is 0 where the group has enough for the job, 1 where others want it, 2 where
// it never has.
func rankOfRoom(g *Group, e *engine.Entry) int {
	switch need := Least(e); {
	case need > g.Devices:
		return 2
	case g.demanded+need > g.Devices:
		return 1
	}
	return 0
}

// add takes a job into the group, if it could run.
func (g *Group) add(e *engine.Entry, takesPart bool) {
	need := Least(e)
	switch {
	case e.HoldsGPUs() && (e.IsUnstoppable || !takesPart):
		g.Fixed = append(g.Fixed, e)
	case !takesPart || need <= 0 || need > g.Devices || !g.Round.MayRun(e) || !e.HoldsGPUs() && g.demanded > mostPerDevice*g.Devices:
		return
	default:
		g.Jobs = append(g.Jobs, e)
	}
	g.demanded += need
}

// releaseMovable gives back what the jobs that may be moved hold. One on devices that no job
// could get, as of a node that is drained, stays.
func (g *Group) releaseMovable() {
	free := g.Round.FreePool
	var rest []*engine.Entry
	for _, e := range g.Jobs {
		if !e.HoldsGPUs() {
			rest = append(rest, e)
			continue
		}
		pool.GiveBackHeld(free, e.Job)
		if g.mayStay(e) {
			rest = append(rest, e)
			continue
		}
		pool.OverdrawHeld(free, e.Job)
		g.Fixed = append(g.Fixed, e)
	}
	g.Jobs = rest
}

// Move lets a job of the group take part in another.
func (g *Group) Move(e *engine.Entry, to *Group) {
	if g == to {
		return
	}
	g.Jobs = slices.DeleteFunc(g.Jobs, func(j *engine.Entry) bool { return j == e })
	to.Jobs = append(to.Jobs, e)
}

// Free is how many devices are free, those of jobs that may be moved included.
func (g *Group) Free() int { return max(g.Round.FreePool.TotalFree(g.GPUType), 0) }

// mayStay reports whether a job that gave back its devices could have them again.
func (g *Group) mayStay(e *engine.Entry) bool {
	for _, slot := range e.On {
		if slot.Type != g.GPUType || g.Round.FreePool.FreeOnNode(slot.Node, slot.Type) < slot.Count || !g.Round.FreePool.AllowsSlot(slot, e.Partition, e.AskWithLimit()) {
			return false
		}
	}
	return true
}

// ByArrival returns the entries in order of arrival.
func ByArrival(entries []*engine.Entry) []*engine.Entry {
	line := slices.Clone(entries)
	slices.SortFunc(line, engine.CompareArrival)
	return line
}
