package exact

import (
	"fmt"
	"slices"

	"fairbridge/policy"
)

// cluster is what is free where, and who shares GPUs with whom.
type cluster struct {
	types   []string // GPU types, sorted
	gpus    int      // healthy devices of nodes that are up
	used    int
	shares  bool // some job may share: devices are told apart
	devices []deviceGroup
	byNode  map[string][]int // rows of a node
}

// deviceGroup is the devices of one type of a node.
type deviceGroup struct {
	typ   int // in cluster.types
	free  int // negative when jobs share
	users [][2]*job
}

func newCluster(nodes []policy.Node) cluster {
	c := cluster{byNode: make(map[string][]int, len(nodes))}
	for _, n := range nodes {
		for _, d := range n.GPUs {
			if k, found := slices.BinarySearch(c.types, d.Type); !found {
				c.types = slices.Insert(c.types, k, d.Type)
			}
		}
	}
	for _, n := range nodes {
		for _, d := range n.GPUs {
			k, _ := slices.BinarySearch(c.types, d.Type)
			healthy := d.Count - d.SickCount
			c.byNode[n.Name] = append(c.byNode[n.Name], len(c.devices))
			c.devices = append(c.devices, deviceGroup{typ: k, free: healthy, users: make([][2]*job, healthy)})
			if n.DownReason == "" {
				c.gpus += healthy
			}
		}
	}
	return c
}

func (c *cluster) devicesOf(s policy.Slot) *deviceGroup {
	for _, i := range c.byNode[s.Node] {
		if c.types[c.devices[i].typ] == s.Type {
			return &c.devices[i]
		}
	}
	return nil
}

// allocate gives the job its devices.
func (c *cluster) allocate(j *job, on policy.Alloc) error {
	for _, s := range on {
		r := c.devicesOf(s)
		if r == nil || s.Count <= 0 {
			return fmt.Errorf("job %d: put on %v: there is no such node or GPU type", j.ID, on)
		}
		if r.free -= s.Count; r.free < 0 && !j.Shareable {
			return fmt.Errorf("job %d: put on %v: %d GPUs too few are free on %s", j.ID, on, -r.free, s.Node)
		}
		if c.shares && !r.occupy(j, s.Count) {
			return fmt.Errorf("job %d: put on %v: no device of %s is left that accepts a neighbour", j.ID, on, s.Node)
		}
		c.used += s.Count
	}
	j.on = on
	return nil
}

// occupy puts the job on so many devices: first free ones, then those of jobs
// that accept a neighbour.
func (r *deviceGroup) occupy(j *job, count int) bool {
	for i := 0; i < len(r.users) && count > 0; i++ {
		if r.users[i][0] == nil {
			r.users[i][0] = j
			count--
		}
	}
	for i := 0; i < len(r.users) && count > 0; i++ {
		if u := &r.users[i]; u[0] != j && u[0].Shareable && u[1] == nil {
			u[1] = j
			count--
		}
	}
	return count == 0
}

// release takes the job's devices back.
func (c *cluster) release(j *job) {
	for _, s := range j.on {
		r := c.devicesOf(s)
		r.free += s.Count
		c.used -= s.Count
		if c.shares {
			r.vacate(j)
		}
	}
	j.on = nil
}

func (r *deviceGroup) vacate(j *job) {
	for i := range r.users {
		u := &r.users[i]
		if u[1] == j {
			u[1] = nil
		}
		if u[0] == j {
			u[0], u[1] = u[1], nil
		}
	}
}
