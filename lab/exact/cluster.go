package exact

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// cluster is what is free where, and who shares GPUs with whom.
type cluster struct {
	gpuTypes           []string // GPU types, sorted
	gpuCount           int      // healthy devices of nodes that are up
	usedGPUs           int
	hasShareableJobs   bool // some job may share: devices are told apart
	deviceGroups       []deviceGroup
	groupIndicesByNode map[string][]int // rows of a node
	mostOnNode         []int            // most healthy devices of a node, by type
	holders            nodeHolders
	nodeInterference   workload.NodeInterference // nil: jobs on other GPUs of a node are of no consequence
}

// deviceGroup is the devices of one type of a node.
type deviceGroup struct {
	typeIndex    int   // in cluster.gpuTypes
	freeCount    int   // negative when jobs share, of which each counts
	deviceMemMB  int64 // memory of each; 0: not known
	jobsByDevice [][]*job
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
	c.mostOnNode = make([]int, len(c.gpuTypes))
	for _, n := range nodes {
		for _, d := range n.GPUs {
			k, _ := slices.BinarySearch(c.gpuTypes, d.Type)
			healthy := d.Count - d.SickCount
			c.mostOnNode[k] = max(c.mostOnNode[k], healthy)
			c.groupIndicesByNode[n.Name] = append(c.groupIndicesByNode[n.Name], len(c.deviceGroups))
			c.deviceGroups = append(c.deviceGroups, deviceGroup{typeIndex: k, freeCount: healthy, deviceMemMB: d.MemMB, jobsByDevice: make([][]*job, healthy)})
			if n.DownReason == "" {
				c.gpuCount += healthy
			}
		}
	}
	return c
}

// haveNeighbours reports whether the speed of a job may hang on where others are.
func (c *cluster) haveNeighbours() bool { return c.hasShareableJobs || c.nodeInterference != nil }

// fewestNodes is how few nodes of a type hold so many devices.
func (c *cluster) fewestNodes(typ, devices int) int {
	most := max(c.mostOnNode[typ], 1)
	return (devices + most - 1) / most
}

func (c *cluster) findDeviceGroup(s policy.Slot) *deviceGroup {
	for _, i := range c.groupIndicesByNode[s.Node] {
		if c.gpuTypes[c.deviceGroups[i].typeIndex] == s.Type {
			return &c.deviceGroups[i]
		}
	}
	return nil
}

// allocateDevices gives the job its devices, and notes which they are where jobs may share.
func (c *cluster) allocateDevices(j *job, on policy.Alloc) error {
	if c.hasShareableJobs {
		on = slices.Clone(on)
	}
	for i, s := range on {
		r := c.findDeviceGroup(s)
		if r == nil || s.Count <= 0 {
			return fmt.Errorf("job %d: put on %v: there is no such node or GPU type", j.ID, on)
		}
		if r.freeCount -= s.Count; r.freeCount < 0 && !c.hasShareableJobs {
			return fmt.Errorf("job %d: put on %v: %d GPUs too few are free on %s", j.ID, on, -r.freeCount, s.Node)
		}
		if c.hasShareableJobs {
			devices, err := r.occupyDevices(j, s)
			if err != nil {
				return fmt.Errorf("job %d: put on %v: %w", j.ID, on, err)
			}
			on[i].Devices = devices
		}
		c.usedGPUs += s.Count
	}
	j.heldAlloc = on
	c.holders.join(j)
	return nil
}

// releaseDevices takes the job's devices back.
func (c *cluster) releaseDevices(j *job) {
	c.holders.leave(j)
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
