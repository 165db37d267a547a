package hived

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// quota is a number of cells of an account.
type quota struct {
	account      string
	number, size int
	gpuType      string // "": the first that has such cells
}

var quotaText = regexp.MustCompile(`^([^=]+)=([0-9]+)x([0-9]+)(?::(\S+))?$`)

// readQuotas reads the cells of accounts.
func readQuotas(texts []string) ([]quota, error) {
	var out []quota
	for _, text := range texts {
		m := quotaText.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("parameter cells: %q is not the cells of an account; write account=4x8 for four cells of 8 GPUs, or account=4x8:a100", text)
		}
		q := quota{account: m[1], gpuType: m[4]}
		var err, errSize error
		q.number, err = strconv.Atoi(m[2])
		q.size, errSize = strconv.Atoi(m[3])
		if err != nil || errSize != nil || q.number < 1 || q.size < 1 || q.number > 1e6 || q.size > 1e4 {
			return nil, fmt.Errorf("parameter cells: %q: the number of cells is 1 to 1000000, their size 1 to 10000 GPUs", text)
		}
		out = append(out, q)
	}
	return out, nil
}

// chainName is the type of a whole node of so many devices.
func chainName(gpuType string, devices int) string { return fmt.Sprintf("%s*%d", gpuType, devices) }

// cellName is the type of so many buddies of it.
func cellName(gpuType string, devices, size int) string {
	switch size {
	case devices:
		return chainName(gpuType, devices)
	case 1:
		return gpuType
	}
	return fmt.Sprintf("%s*%d/%d", gpuType, devices, size)
}

// describeNodes returns a cluster's nodes as cells, and their virtual clusters, all without quota.
func describeNodes(s *policy.Snapshot) cells.Config {
	c := cells.Config{Types: map[string]cells.Type{}, SmallCellsFirst: true}
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			if d.Count == 0 || !d.IsWholeGPU() {
				continue
			}
			addTypes(c.Types, d)
			p := cells.Physical{Type: chainName(d.Type, d.Count), Node: s.Nodes[i].Name}
			for index := range d.Count {
				p.Devices = append(p.Devices, index)
			}
			c.Physical = append(c.Physical, p)
		}
	}
	slices.SortStableFunc(c.Physical, func(a, b cells.Physical) int { return len(a.Devices) - len(b.Devices) })
	return c
}

// addTypes adds the types of a node's cells: halves, quarters and so on while they are whole.
func addTypes(types map[string]cells.Type, d policy.NodeDevices) {
	if d.Count == 1 {
		types[chainName(d.Type, 1)] = cells.Type{Child: d.Type, Count: 1, IsNode: true}
		return
	}
	size, isNode := d.Count, true
	for size > 1 {
		below := 1
		if size%2 == 0 {
			below = size / 2
		}
		types[cellName(d.Type, d.Count, size)] = cells.Type{Child: cellName(d.Type, d.Count, below), Count: size / below, IsNode: isNode}
		size, isNode = below, false
	}
}

func gangName(e *engine.Entry) string { return strconv.FormatInt(int64(e.ID), 10) }

// request is a job's for devices of the type, of the first of its tasks.
func (h *allocator) request(e *engine.Entry, gpuType string, priority int) cells.Request {
	r := cells.Request{Task: gangName(e), Gang: gangName(e), VirtualCluster: e.Account, Priority: priority, DeviceType: gpuType, Members: h.shape(e, gpuType), Reserves: priority >= cells.MinPriority}
	r.Devices = r.Members[0].Devices
	if priority == cells.OpportunisticPriority {
		r.Class = class{h.GangID(e), gpuType, r.Members[0], len(r.Members)}
	}
	gang := e.GangAsk()
	r.IsSuggested = func(node string) bool {
		n, room := h.Node(node), h.FreePool
		if priority >= cells.MinPriority {
			room = h.withoutGuests
		}
		return n != nil && slices.ContainsFunc(n.GPUs, func(d policy.NodeDevices) bool {
			return room.AllowsSlot(policy.Slot{Node: node, Type: d.Type, Count: 1}, e.Partition, gang)
		})
	}
	return r
}

// class is of jobs that ask the cluster for the same: by their gang, its type, and how it divides.
type class struct {
	gangID      any
	gpuType     string
	member      cells.Member
	memberCount int
}

// shape is how a job divides over nodes with devices of the type: as few as it may.
func (h *allocator) shape(e *engine.Entry, gpuType string) []cells.Member {
	n, size := e.Ask.GPUs.Count, h.mostOnNode[gpuType]
	switch {
	case e.Ask.PerNode > 0:
		size = e.Ask.PerNode
	case e.Ask.MinNodes > 1:
		size = (n + e.Ask.MinNodes - 1) / e.Ask.MinNodes
	}
	size = max(min(size, n), 1)
	out := []cells.Member{{Devices: size, Tasks: n / size}}
	if n%size > 0 {
		out = append(out, cells.Member{Devices: n % size, Tasks: 1})
	}
	return out
}
