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

// occupyDevices puts the job on devices of the group and returns which: those that the slot names,
// else free ones, and then those with the fewest jobs that accept it as a neighbour.
func (r *deviceGroup) occupyDevices(j *job, s policy.Slot) (policy.DeviceSet, error) {
	chosen := s.Devices.Indexes()
	if s.Devices == 0 {
		chosen = r.chooseDevices(j, s.Count)
	}
	if len(chosen) != s.Count {
		return 0, fmt.Errorf("no device of %s is left that accepts a neighbour", s.Node)
	}
	for _, i := range chosen {
		if i >= len(r.jobsByDevice) {
			return 0, fmt.Errorf("node %s has %d such devices and no device %d", s.Node, len(r.jobsByDevice), i)
		}
		if err := r.checkNeighbours(i, j); err != nil {
			return 0, fmt.Errorf("device %d of %s: %w", i, s.Node, err)
		}
		r.jobsByDevice[i] = append(r.jobsByDevice[i], j)
	}
	return policy.NewDeviceSet(chosen...), nil
}

// chooseDevices returns so many devices that accept the job, the emptiest first; fewer where
// there are not as many.
func (r *deviceGroup) chooseDevices(j *job, count int) []int {
	var chosen []int
	for others := 0; len(chosen) < count && others <= r.mostJobsOnDevice(); others++ {
		for i := range r.jobsByDevice {
			if len(chosen) < count && len(r.jobsByDevice[i]) == others && r.checkNeighbours(i, j) == nil {
				chosen = append(chosen, i)
			}
		}
	}
	slices.Sort(chosen)
	return chosen
}

func (r *deviceGroup) mostJobsOnDevice() int {
	most := 0
	for _, jobs := range r.jobsByDevice {
		most = max(most, len(jobs))
	}
	return most
}

// checkNeighbours says why the job cannot run beside those on the device.
func (r *deviceGroup) checkNeighbours(device int, j *job) error {
	memMB := j.Sharing.UsedMemMB()
	for _, o := range r.jobsByDevice[device] {
		n := len(r.jobsByDevice[device]) + 1
		switch {
		case o == j:
			return fmt.Errorf("it is there already")
		case !j.asNeighbour.AcceptsNeighbour(o.asNeighbour):
			return fmt.Errorf("it and job %d do not accept each other", o.ID)
		case n > j.asNeighbour.JobsPerGPU() || n > o.asNeighbour.JobsPerGPU():
			return fmt.Errorf("%d jobs on it are more than it or job %d accepts", n, o.ID)
		}
		memMB += o.Sharing.UsedMemMB()
	}
	if len(r.jobsByDevice[device]) > 0 && r.deviceMemMB > 0 && memMB > r.deviceMemMB {
		return fmt.Errorf("its jobs would use %d MB of %d", memMB, r.deviceMemMB)
	}
	return nil
}

func (r *deviceGroup) vacateDevices(j *job) {
	for i, jobs := range r.jobsByDevice {
		if at := slices.Index(jobs, j); at >= 0 {
			r.jobsByDevice[i] = slices.Delete(jobs, at, at+1)
		}
	}
}

// nodeHolders are the jobs that hold GPUs of each node; nil: it is of no consequence.
type nodeHolders map[string][]*job

// join notes that a job holds GPUs of its nodes.
func (h nodeHolders) join(j *job) {
	if h == nil {
		return
	}
	for _, name := range j.heldAlloc.Nodes() {
		h[name] = append(h[name], j)
	}
}

// leave notes that a job leaves its nodes.
func (h nodeHolders) leave(j *job) {
	if h == nil {
		return
	}
	for _, name := range j.heldAlloc.Nodes() {
		h[name] = slices.DeleteFunc(h[name], func(o *job) bool { return o == j })
	}
}

// speedBesideOnNodes is the speed of a job by the jobs on other GPUs of its nodes, relative to that
// without them: that on the node where it is slowed most, for which the others wait.
func (c *cluster) speedBesideOnNodes(j *job) float64 {
	least := 1.0
	for _, name := range j.heldAlloc.Nodes() {
		if others := c.listNodeParts(name, j); len(others) > 0 {
			least = min(least, c.nodeInterference.SpeedOnNode(j.Job, others))
		}
	}
	return least
}

// listNodeParts are the other jobs on a node.
func (c *cluster) listNodeParts(name string, j *job) []workload.NodePart {
	devices := 0
	for _, i := range c.groupIndicesByNode[name] {
		devices += len(c.deviceGroups[i].jobsByDevice)
	}
	var others []workload.NodePart
	for _, o := range c.holders[name] {
		if o != j {
			others = append(others, workload.NodePart{Job: o.Job, Part: float64(o.heldAlloc.CountOn(name)) / float64(devices)})
		}
	}
	return others
}
