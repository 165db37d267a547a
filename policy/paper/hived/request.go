package hived

import (
	"slices"
	"strconv"

	"fairbridge/policy"
	"fairbridge/policy/cells"
	"fairbridge/policy/engine"
)

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
