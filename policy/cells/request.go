package cells

import (
	"errors"
	"fmt"
	"slices"
)

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
