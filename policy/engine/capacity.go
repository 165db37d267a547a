package engine

import (
	"fairbridge/policy"
)

// Capacity is how many devices of one GPU type there are in a round, wherever they are. How many of
// them a node can give a particular job, the pool says.
type Capacity struct {
	GPUType   string
	IsSlice   bool // they are parts of a GPU, which only an ask of their type gets
	Healthy   int  // of nodes that are up
	Free      int  // of the healthy ones, that no job holds
	Stoppable int  // held by jobs that may be stopped, wherever these run
	Fixed     int  // held by the others
	PerNode   int  // of a whole node: the most healthy ones of any node that is up; at least 1
}

// Grantable returns the devices that are free or held by jobs that may be stopped.
func (c *Capacity) Grantable() int { return c.Free + c.Stoppable }

// Capacities are those of all types.
type Capacities []Capacity

// Find returns the capacity of a type; nil: the cluster has no such GPUs.
func (all Capacities) Find(gpuType string) *Capacity {
	for i := range all {
		if all[i].GPUType == gpuType {
			return &all[i]
		}
	}
	return nil
}

// ListCapacities counts the devices of each type, in order of nodes and types. mayStop says which
// running jobs may be stopped; nil: those that are not IsUnstoppable.
func (r *Round) ListCapacities(mayStop func(*Entry) bool) Capacities {
	var all Capacities
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			c := all.Find(d.Type)
			if c == nil {
				all = append(all, Capacity{GPUType: d.Type, IsSlice: !d.IsWholeGPU(), Free: r.FreePool.TotalFree(d.Type), PerNode: 1})
				c = &all[len(all)-1]
			}
			c.addNode(&r.Nodes[i], d)
		}
	}
	held := heldDevices{}
	for _, stops := range []bool{false, true} { // a device is fixed if one of those that share it is
		for _, e := range r.RunningEntries() {
			if (mayStop == nil && !e.IsUnstoppable || mayStop != nil && mayStop(e)) == stops {
				all.addHeld(e, stops, held)
			}
		}
	}
	return all
}

// heldDevices are those of which it is known that they are held, by node and type.
type heldDevices map[[2]string]policy.DeviceSet

// add notes the slot's devices and returns how many of them no job was known to hold.
func (h heldDevices) add(s policy.Slot) int {
	if s.Devices == 0 {
		return s.Count
	}
	at := [2]string{s.Node, s.Type}
	was := h[at]
	h[at] = was | s.Devices
	return (s.Devices &^ was).Count()
}

func (c *Capacity) addNode(n *policy.Node, d policy.NodeDevices) {
	if n.DownReason == "" {
		healthy := max(d.Count-d.SickCount, 0)
		c.Healthy += healthy
		c.PerNode = max(c.PerNode, healthy)
	}
}

func (all Capacities) addHeld(e *Entry, mayStop bool, held heldDevices) {
	for _, slot := range e.On {
		switch c := all.Find(slot.Type); {
		case c == nil:
		case mayStop:
			c.Stoppable += held.add(slot)
		default:
			c.Fixed += held.add(slot)
		}
	}
}
