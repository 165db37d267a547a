package cells

import (
	"errors"
	"fmt"
	"slices"
)

// GangState says how far a gang is.
type GangState string

// The states of gangs that hold cells, or have them reserved.
const (
	Allocated      GangState = "allocated"
	Preempting     GangState = "preempting"      // it has cells reserved that others are to leave
	BeingPreempted GangState = "being preempted" // another has, or had, some of its cells reserved
)

// gang is tasks that run together, on the devices of a placement.
type gang struct {
	name     string
	tenant   *tenant
	priority int
	mayLose  bool // lazy preemption: it may go on outside its virtual cluster
	state    GangState
	slots    []slot
	waiting  map[string]bool // tasks that asked while it is preempting
}

// slot is the place of one task.
type slot struct {
	devices []*cell // physical
	virtual []*cell // nil for a gang outside its virtual cluster
	task    string  // that has it; "": none yet
}

// eachDevice calls f with the devices of a gang and their virtual ones, nil where it has none.
func (g *gang) eachDevice(f func(device, virtual *cell)) {
	for _, s := range g.slots {
		for i, d := range s.devices {
			if s.virtual == nil {
				f(d, nil)
			} else {
				f(d, s.virtual[i])
			}
		}
	}
}

// freeSlot is the first slot of so many devices that no task has; -1: there is none.
func (g *gang) freeSlot(devices int) int {
	return slices.IndexFunc(g.slots, func(s slot) bool { return len(s.devices) == devices && s.task == "" })
}

// start gives a gang the devices of its slots, at once.
func (k *Cluster) start(g *gang) {
	g.state = Allocated
	k.gangs[g.name] = g
	g.eachDevice(func(device, virtual *cell) {
		k.useDevice(device, virtual, g.priority, g.tenant)
		device.user, device.state = g, stateUsed
	})
}

// end takes a gang off its devices. Those that another has reserved are that one's already.
func (k *Cluster) end(g *gang) {
	delete(k.gangs, g.name)
	g.eachDevice(func(device, _ *cell) {
		device.user = nil
		if device.state == stateUsed {
			k.freeDevice(device, g.tenant)
			device.state = stateFree
		} else {
			device.state = stateReserved
		}
	})
}

// reserve gives a gang devices that others are to leave.
func (k *Cluster) reserve(g *gang) {
	g.state = Preempting
	k.gangs[g.name] = g
	g.eachDevice(func(device, virtual *cell) {
		if device.state == stateUsed {
			k.freeDevice(device, device.user.tenant)
			device.user.state = BeingPreempted
			device.state = stateReserving
		} else {
			device.state = stateReserved
		}
		k.useDevice(device, virtual, g.priority, g.tenant)
		device.next = g
	})
}

// cancel dissolves a reservation; devices still in use are their users' again, whose state remains, as it
// does in the published scheduler.
func (k *Cluster) cancel(g *gang) {
	delete(k.gangs, g.name)
	g.eachDevice(func(device, _ *cell) {
		k.freeDevice(device, g.tenant)
		device.next = nil
		if device.state == stateReserved {
			device.state = stateFree
			return
		}
		device.state = stateUsed
		k.restore(device.user, device)
	})
}

// restore gives a gang a device back that was reserved by another. Where its virtual cells are bound to
// others by now, as after a node has failed, it goes on without any.
func (k *books) restore(g *gang, device *cell) {
	virtual := g.virtualOf(device)
	if virtual == nil || canBind(device, virtual) {
		k.useDevice(device, virtual, g.priority, g.tenant)
		return
	}
	k.useDevice(device, nil, OpportunisticPriority, g.tenant)
	k.expel(g)
}

// virtualOf is the virtual device that the gang has for a physical one; nil: none.
func (g *gang) virtualOf(device *cell) *cell {
	var out *cell
	g.eachDevice(func(d, virtual *cell) {
		if d == device {
			out = virtual
		}
	})
	return out
}

// fulfil lets a gang have what it has reserved, when all others have left.
func (k *Cluster) fulfil(g *gang) {
	g.state, g.waiting = Allocated, nil
	g.eachDevice(func(device, _ *cell) {
		device.next, device.user, device.state = nil, g, stateUsed
	})
}

// expel takes a running gang's virtual cells: it goes on as an opportunistic one. It returns what
// undoes that.
func (k *books) expel(g *gang) (undo func()) {
	was := slices.Clone(g.slots)
	k.useAll(g, nil)
	for i := range g.slots {
		g.slots[i].virtual = nil
	}
	return func() {
		tasks := g.slots
		g.slots = was
		if !k.useAll(g, g.virtualOf) { // what it had is bound to others now
			k.useAll(g, nil)
			g.slots = tasks
		}
	}
}

// useAll uses the devices that a gang runs on anew, with other virtual ones. It reports whether all could be bound.
func (k *books) useAll(g *gang, virtualOf func(*cell) *cell) bool {
	ok := true
	g.eachDevice(func(device, _ *cell) {
		if device.state != stateUsed { // another has it reserved, and uses it in the books
			return
		}
		k.freeDevice(device, g.tenant)
		var virtual *cell
		if virtualOf != nil {
			if virtual = virtualOf(device); virtual == nil || !canBind(device, virtual) {
				virtual, ok = nil, false
			}
		}
		k.useDevice(device, virtual, g.priority, g.tenant)
	})
	return ok
}

// Why a request can never be answered.
var (
	ErrNoVirtualCluster = errors.New("there is no such virtual cluster")
	ErrNoPinnedCell     = errors.New("the virtual cluster has no such pinned cell")
	ErrPriority         = fmt.Errorf("priorities are %d (opportunistic) to %d", OpportunisticPriority, MaxPriority)
	ErrNoDeviceType     = errors.New("the virtual cluster has no cells of that type")
	ErrNotMember        = errors.New("the gang has no task of so many devices")
	ErrTooManyTasks     = errors.New("all tasks of the gang with so many devices have their places")
	ErrPinnedLow        = errors.New("opportunistic gangs cannot use a pinned cell")
)

// Member is a number of tasks of a gang that use so many devices each, on one node.
type Member struct{ Devices, Tasks int }

// Request asks for the place of one task of a gang. Those of all its tasks are found at once,
// when the first asks.
type Request struct {
	Task, Gang     string
	VirtualCluster string
	Priority       int      // OpportunisticPriority, or MinPriority to MaxPriority
	Devices        int      // of the task
	Members        []Member // of the gang
	DeviceType     string   // "": any
	Pinned         string   // the pinned cell that it wants; "": none
	// MayLose says that the gang may lose its virtual cells to one of a higher priority and go on as
	// an opportunistic one (lazy preemption).
	MayLose bool
	// Reserves says that what others have to leave for it is reserved for it.
	Reserves bool
	// IsSuggested says which nodes to use; nil: all.
	IsSuggested func(node string) bool
	// Class, where it is not nil, is the same of opportunistic requests that suggest the same nodes and have the same
	// members until a gang starts: until then none is searched for after one for which there was no place.
	Class any
}

// check says what is wrong with a request, and returns its tenant.
func (k *books) check(r *Request) (*tenant, error) {
	t := k.tenant(r.VirtualCluster)
	switch {
	case r.Priority < OpportunisticPriority || r.Priority > MaxPriority:
		return nil, fmt.Errorf("priority %d: %w", r.Priority, ErrPriority)
	case !slices.ContainsFunc(r.Members, func(m Member) bool { return m.Devices == r.Devices && m.Tasks > 0 && m.Devices > 0 }):
		return nil, fmt.Errorf("task %s of %d devices: %w", r.Task, r.Devices, ErrNotMember)
	case t == nil:
		return nil, fmt.Errorf("virtual cluster %s: %w", r.VirtualCluster, ErrNoVirtualCluster)
	case r.Pinned != "" && t.pinned[r.Pinned] == nil:
		return nil, fmt.Errorf("virtual cluster %s, pinned cell %s: %w", r.VirtualCluster, r.Pinned, ErrNoPinnedCell)
	case r.Pinned != "" && r.Priority == OpportunisticPriority:
		return nil, fmt.Errorf("pinned cell %s: %w", r.Pinned, ErrPinnedLow)
	}
	return t, nil
}

// sizes are the devices of the gang's tasks, ascending.
func (r *Request) sizes() []int {
	var out []int
	for _, m := range r.Members {
		out = append(out, slices.Repeat([]int{m.Devices}, m.Tasks)...)
	}
	slices.Sort(out)
	return out
}

func (r *Request) suggested() func(string) bool {
	if r.IsSuggested == nil {
		return func(string) bool { return true }
	}
	return r.IsSuggested
}

// WaitReason says why a gang has to wait.
type WaitReason string

// The reasons.
const (
	NoCapacity WaitReason = "there are not enough free cells"
	NodesBad   WaitReason = "it would have to use a node that is bad or not wanted"
)

// Answer is what came of a request.
type Answer struct {
	Wait    WaitReason          // why it waits; "": it has a place
	Victims map[string][]string // tasks that have to leave first, by node; nil: none, it may start
	Node    string              // of the task
	Devices []int               // of the node, as found
	Chain   string
	Nodes   []string // of all tasks of the gang, in order of their devices

	gang *gang
}
