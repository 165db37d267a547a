package exact

import (
	"fmt"
	"slices"

	"fairbridge/policy"
)

// cluster is what is free where, and who shares GPUs with whom.
type cluster struct {
	gpuTypes           []string // GPU types, sorted
	gpuCount           int      // healthy devices of nodes that are up
	usedGPUs           int
	hasShareableJobs   bool // some job may share: devices are told apart
	deviceGroups       []deviceGroup
	groupIndicesByNode map[string][]int // rows of a node
}

// deviceGroup is the devices of one type of a node.
type deviceGroup struct {
	typeIndex    int // in cluster.gpuTypes
	freeCount    int // negative when jobs share
	jobsByDevice [][2]*job
}

func newCluster(nodes []policy.Node) cluster {
	c := cluster{groupIndicesByNode: make(map[string][]int, len(nodes))}
	for _, n := range nodes {
		for _, d := range n.GPUs {
			if k, found := slices.BinarySearch(c.gpuTypes, d.Type); !found {
				c.gpuTypes = slices.Insert(c.gpuTypes, k, d.Type)
			}
		}
	}
	for _, n := range nodes {
		for _, d := range n.GPUs {
			k, _ := slices.BinarySearch(c.gpuTypes, d.Type)
			healthy := d.Count - d.SickCount
			c.groupIndicesByNode[n.Name] = append(c.groupIndicesByNode[n.Name], len(c.deviceGroups))
			c.deviceGroups = append(c.deviceGroups, deviceGroup{typeIndex: k, freeCount: healthy, jobsByDevice: make([][2]*job, healthy)})
			if n.DownReason == "" {
				c.gpuCount += healthy
			}
		}
	}
	return c
}

func (c *cluster) findDeviceGroup(s policy.Slot) *deviceGroup {
	for _, i := range c.groupIndicesByNode[s.Node] {
		if c.gpuTypes[c.deviceGroups[i].typeIndex] == s.Type {
			return &c.deviceGroups[i]
		}
	}
	return nil
}

// allocateDevices gives the job its devices.
func (c *cluster) allocateDevices(j *job, on policy.Alloc) error {
	for _, s := range on {
		r := c.findDeviceGroup(s)
		if r == nil || s.Count <= 0 {
			return fmt.Errorf("job %d: put on %v: there is no such node or GPU type", j.ID, on)
		}
		if r.freeCount -= s.Count; r.freeCount < 0 && !j.IsShareable {
			return fmt.Errorf("job %d: put on %v: %d GPUs too few are free on %s", j.ID, on, -r.freeCount, s.Node)
		}
		if c.hasShareableJobs && !r.occupyDevices(j, s.Count) {
			return fmt.Errorf("job %d: put on %v: no device of %s is left that accepts a neighbour", j.ID, on, s.Node)
		}
		c.usedGPUs += s.Count
	}
	j.heldAlloc = on
	return nil
}

// occupyDevices puts the job on so many devices: first free ones, then those of jobs
// that accept a neighbour.
func (r *deviceGroup) occupyDevices(j *job, count int) bool {
	for i := 0; i < len(r.jobsByDevice) && count > 0; i++ {
		if r.jobsByDevice[i][0] == nil {
			r.jobsByDevice[i][0] = j
			count--
		}
	}
	for i := 0; i < len(r.jobsByDevice) && count > 0; i++ {
		if u := &r.jobsByDevice[i]; u[0] != j && u[0].IsShareable && u[1] == nil {
			u[1] = j
			count--
		}
	}
	return count == 0
}

// releaseDevices takes the job's devices back.
func (c *cluster) releaseDevices(j *job) {
	for _, s := range j.heldAlloc {
		r := c.findDeviceGroup(s)
		r.freeCount += s.Count
		c.usedGPUs -= s.Count
		if c.hasShareableJobs {
			r.vacateDevices(j)
		}
	}
	j.heldAlloc = nil
}

func (r *deviceGroup) vacateDevices(j *job) {
	for i := range r.jobsByDevice {
		u := &r.jobsByDevice[i]
		if u[1] == j {
			u[1] = nil
		}
		if u[0] == j {
			u[0], u[1] = u[1], nil
		}
	}
}
