package hived

import (
	"slices"
	"strings"

	"fairbridge/policy"
	"fairbridge/policy/cells"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// allocOf is the devices of all tasks of the gang.
func allocOf(a cells.Answer) policy.Alloc {
	gpuType, _, _ := strings.Cut(a.Chain, "*")
	var on policy.Alloc
	for _, p := range a.Places() {
		i := slices.IndexFunc(on, func(s policy.Slot) bool { return s.Node == p.Node })
		if i < 0 {
			i = len(on)
			on = append(on, policy.Slot{Node: p.Node, Type: gpuType})
		}
		on[i].Count += len(p.Devices)
		on[i].Devices |= policy.NewDeviceSet(p.Devices...)
	}
	for i := range on {
		if on[i].Devices.Count() != on[i].Count {
			on[i].Devices = 0
		}
	}
	slices.SortFunc(on, policy.Slot.Compare)
	return on
}

// adoptAll puts running jobs on their cells: those of the last round first, each where it was.
func (h *allocator) adoptAll() {
	known := map[string]cells.Adoption{}
	for _, a := range h.last.Gangs {
		known[a.Gang] = a
	}
	for _, isKnown := range []bool{true, false} {
		for _, e := range h.RunningEntries() {
			if a, ok := known[gangName(e)]; ok == isKnown && e.Ask.GPUs.PartPercent%100 == 0 {
				h.adopt(e, a)
			}
		}
	}
}

// adopt puts a running job on its cells. Those of which its devices are not told it is thought to be on.
func (h *allocator) adopt(e *engine.Entry, a cells.Adoption) {
	for _, s := range e.On {
		n := h.Node(s.Node)
		if n == nil {
			return
		}
		for _, d := range n.GPUs {
			if d.Type == s.Type {
				a.Chain = chainName(d.Type, d.Count)
			}
		}
	}
	a.Gang, a.VirtualCluster = gangName(e), e.Account
	told := cells.Adoption{Gang: a.Gang, VirtualCluster: a.VirtualCluster, Chain: a.Chain}
	if !h.hasCells(e) {
		a.Virtual = nil
	}
	if !fitsAlloc(a, e.On) || !h.cluster.Adopt(a) {
		for _, s := range e.On {
			devices := s.Devices.Indexes()
			if free := h.cluster.FreeDevices(a.Chain, s.Node); s.Devices == 0 && len(free) >= s.Count {
				devices = free[:s.Count]
			}
			told.Places = append(told.Places, cells.Place{Node: s.Node, Devices: devices})
		}
		if !h.cluster.Adopt(told) {
			return
		}
	}
	if a, ok := h.cluster.Describe(gangName(e)); ok && len(a.Virtual) == 0 {
		if h.hasCells(e) && h.cluster.Claim(gangName(e)) {
			return
		}
		if !h.mayLeave(e) {
			h.setBad(e)
		}
	}
}

// fitsAlloc reports whether a gang was where a job is now.
func fitsAlloc(a cells.Adoption, on policy.Alloc) bool {
	count, devices := map[string]int{}, map[string]policy.DeviceSet{}
	for _, p := range a.Places {
		count[p.Node] += len(p.Devices)
		devices[p.Node] |= policy.NewDeviceSet(p.Devices...)
	}
	for _, s := range on {
		if count[s.Node] != s.Count || s.Devices != 0 && devices[s.Node] != s.Devices {
			return false
		}
	}
	return len(on) == len(count)
}

// takeBad takes nodes that nothing may start on, and as many devices as are known to be sick.
func (h *allocator) takeBad() {
	for i := range h.Nodes {
		n := &h.Nodes[i]
		if n.DownReason != "" {
			h.cluster.SetBad(n.Name)
			continue
		}
		for _, d := range n.GPUs {
			free := h.cluster.FreeDevices(chainName(d.Type, d.Count), n.Name)
			for _, index := range free[max(len(free)-d.SickCount, 0):] {
				h.cluster.SetDeviceBad(n.Name, index)
			}
		}
	}
}

// takeUnexplained takes as many devices as are not free although no job is known to be on them: of a running job whose
// record is of more than there is, for one.
func (h *allocator) takeUnexplained() {
	for i := range h.Nodes {
		n := &h.Nodes[i]
		for _, d := range n.GPUs {
			free := h.cluster.FreeDevices(chainName(d.Type, d.Count), n.Name)
			for _, index := range free[min(max(h.FreePool.FreeOnNode(n.Name, d.Type), 0), len(free)):] {
				h.cluster.SetDeviceBad(n.Name, index)
			}
		}
	}
}

// findRoomWithoutGuests finds the cores and the memory that jobs on cells of their accounts may count on.
func (h *allocator) findRoomWithoutGuests() {
	h.withoutGuests = h.FreePool.Clone()
	for _, e := range h.RunningEntries() {
		if a, ok := h.cluster.Describe(gangName(e)); ok && len(a.Virtual) == 0 && !e.IsUnstoppable {
			pool.GiveBackHeld(h.withoutGuests, e.Job)
		}
	}
}

// setBad takes the devices of a job that never leaves away from all cells.
func (h *allocator) setBad(e *engine.Entry) {
	a, _ := h.cluster.Describe(gangName(e))
	for _, p := range a.Places {
		for _, index := range p.Devices {
			h.cluster.SetDeviceBad(p.Node, index)
		}
	}
}
