package policy

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// deviceUse counts what devices are used once the plan is carried out.
type deviceUse struct {
	useBySlot      map[slotKey]*slotUse
	unplacedByType map[string]int     // devices of starts without nodes, by type
	freeByType     map[string]int     // devices left on nodes that are up, by type
	amountsOn      map[string]Amounts // cores and memory of jobs that run by the plan, by node
	givenOn        map[string]JobID   // a job that is given others than it asks, by node
}

type slotKey struct{ node, gpuType string }

type slotUse struct {
	slotKey
	healthyDevices      int
	isNodeUp            bool // its node is
	isWholeGPU          bool // devices are whole GPUs
	exclusiveDevices    int  // devices of jobs that take no neighbour
	sharedDevices       int  // devices of jobs that do
	widestSharerDevices int  // most devices of one job that does
	mostJobsPerGPU      int  // most jobs to a device that one of them accepts
	occupants           []occupant
	memMB               int64 // of a device; 0: not known
	startedJob          JobID // a job that is put here by the plan; 0: none
}

func newDeviceUse(s *Snapshot) *deviceUse {
	u := &deviceUse{useBySlot: map[slotKey]*slotUse{}, unplacedByType: map[string]int{}, freeByType: map[string]int{}, amountsOn: map[string]Amounts{}, givenOn: map[string]JobID{}}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for _, d := range n.GPUs {
			at := slotKey{n.Name, d.Type}
			u.useBySlot[at] = &slotUse{slotKey: at, healthyDevices: d.Count - d.SickCount, isNodeUp: n.DownReason == "", isWholeGPU: d.IsWholeGPU(), memMB: d.MemMB}
		}
	}
	return u
}

func (u *deviceUse) addDecision(d *Decision, j *Job) {
	if d.Verb == Start && len(d.On) == 0 {
		u.unplacedByType[j.Ask.GPUs.Type] += d.GPUs
	}
	if d.Verb != Start && d.Verb != Keep && d.Verb != Move && d.Verb != Resize {
		return
	}
	u.addAmounts(d, j)
	for _, s := range d.On {
		v := u.useBySlot[slotKey{s.Node, s.Type}]
		if v == nil {
			continue
		}
		if j.Shareable {
			v.sharedDevices, v.widestSharerDevices = v.sharedDevices+s.Count, max(v.widestSharerDevices, s.Count)
			v.mostJobsPerGPU = max(v.mostJobsPerGPU, j.JobsPerGPU())
		} else {
			v.exclusiveDevices += s.Count
		}
		v.occupants = append(v.occupants, occupant{j, s})
		if d.Verb != Keep {
			v.startedJob = j.ID
		}
	}
}

// devicesNeeded returns the fewest devices that can hold the jobs, at most as many to a
// device as one of them accepts, and only of those that accept neighbours.
func (v *slotUse) devicesNeeded() int {
	most := max(v.mostJobsPerGPU, 1)
	return v.exclusiveDevices + max((v.sharedDevices+most-1)/most, v.widestSharerDevices)
}

// checkOverdrawn names the slots where the plan puts a job and there is not enough.
// What running jobs overdraw by themselves, on devices that turned sick under
// them, is no fault of the plan.
func (u *deviceUse) checkOverdrawn() []error {
	var errs []error
	all := make([]*slotUse, 0, len(u.useBySlot))
	for _, v := range u.useBySlot {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b *slotUse) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.gpuType, b.gpuType))
	})
	for _, v := range all {
		if v.startedJob != 0 && v.devicesNeeded() > v.healthyDevices {
			errs = append(errs, fmt.Errorf("job %d: node %s has %d healthy %s, %d are given out", v.startedJob, v.node, v.healthyDevices, v.gpuType, v.devicesNeeded()))
		}
		if v.startedJob != 0 {
			errs = append(errs, v.checkDevices()...)
		}
		u.addFreeDevices(v)
	}
	return append(errs, u.checkUnplaced()...)
}

// addFreeDevices counts what the slot has left for starts without nodes.
func (u *deviceUse) addFreeDevices(v *slotUse) {
	if !v.isNodeUp {
		return
	}
	left := max(v.healthyDevices-v.devicesNeeded(), 0)
	u.freeByType[v.gpuType] += left
	if v.isWholeGPU {
		u.freeByType[""] += left
	}
}

// checkUnplaced wants enough devices in all for the starts without nodes.
func (u *deviceUse) checkUnplaced() []error {
	var errs []error
	for _, t := range slices.Sorted(maps.Keys(u.unplacedByType)) {
		if u.unplacedByType[t] > u.freeByType[t] {
			errs = append(errs, fmt.Errorf("%d GPUs of type %q are started without nodes, %d are left", u.unplacedByType[t], t, u.freeByType[t]))
		}
	}
	return errs
}

// checkAmounts wants cores and memory other than asked only for a job that is placed and of which it is
// known what they make of its speed, and less than asked only as its owner allows.
func (c *planChecker) checkAmounts(d *Decision, j *Job) {
	g := d.Given
	if g == (Amounts{}) {
		return
	}
	ask := j.Ask.Resized(d.GPUs)
	switch {
	case d.Verb != Start && d.Verb != Move && d.Verb != Resize || len(d.On) == 0:
		c.addErrorf("job %d: given %v, but it is not placed", j.ID, g)
	case j.CPUScaling == nil || d.GPUs <= 0:
		c.addErrorf("job %d: given %v, but it is not known what they make of its speed", j.ID, g)
	case g.CPUs < 0 || g.MemMB < 0 || g.CPUs > 0 && ask.CPUs == 0 || g.MemMB > 0 && ask.MemMB == 0:
		c.addErrorf("job %d: given %v, it asks for %v", j.ID, g, ask.Amounts())
	case !ask.Amounts().Fits(ask.WithAmounts(g).Amounts()):
		c.checkLess(d, j, ask.WithAmounts(g).Amounts())
	}
}

// checkLess wants that a job that gets less than it asks has an owner who accepts it, and is no slower
// than with its share by GPUs.
func (c *planChecker) checkLess(d *Decision, j *Job, given Amounts) {
	var share Amounts
	for _, s := range d.On {
		if n := c.Node(s.Node); n != nil {
			part := n.ShareByGPUs(s.Count)
			share.CPUs, share.MemMB = share.CPUs+part.CPUs, share.MemMB+part.MemMB
		}
	}
	switch known := j.CPUScaling; {
	case !known.AcceptsLess:
		c.addErrorf("job %d: given %v, and its owner accepts no less than %v", j.ID, given, j.Ask.Amounts())
	case !known.IsNoSlower(d.GPUs, given, share):
		c.addErrorf("job %d: given %v, slower than with its share by GPUs, %v", j.ID, given, share)
	}
}

// checkGiven names the nodes whose cores or memory the plan gives out twice, where it gives jobs other
// amounts than they ask. Elsewhere they are what the jobs ask, and Slurm sees to it.
func (u *deviceUse) checkGiven(s *Snapshot) []error {
	var errs []error
	for i := range s.Nodes {
		n := &s.Nodes[i]
		taken, given := u.amountsOn[n.Name], u.givenOn[n.Name]
		if given != 0 && !taken.Fits(Amounts{n.CPUs, n.MemMB}) {
			errs = append(errs, fmt.Errorf("job %d: node %s has %v for its jobs, %v are given out", given, n.Name, Amounts{n.CPUs, n.MemMB}, taken))
		}
	}
	return errs
}

// addAmounts counts the cores and the memory of a job that runs by the plan.
func (u *deviceUse) addAmounts(d *Decision, j *Job) {
	has := j.HeldAmounts()
	if d.Verb != Keep {
		has = j.Ask.Resized(d.GPUs).WithAmounts(d.Given).Amounts()
	}
	all := d.On.Count()
	for i, s := range d.On {
		if i > 0 && d.On[i-1].Node == s.Node {
			continue
		}
		here, was := d.On.CountBeside(i), u.amountsOn[s.Node]
		u.amountsOn[s.Node] = Amounts{was.CPUs + PortionForNode(has.CPUs, here, all), was.MemMB + PortionForNode(has.MemMB, here, all)}
		if d.Given != (Amounts{}) {
			u.givenOn[s.Node] = cmp.Or(u.givenOn[s.Node], d.Job)
		}
	}
}

// DeviceSet is a set of a node's devices of one type, by their index among those of the
// type, from 0: bit i stands for device i. The zero set says that they are not known.
type DeviceSet uint64

// MaxDeviceIndex is the largest index that a DeviceSet holds.
const MaxDeviceIndex = 63

// NewDeviceSet returns the set of the devices with the indexes. Indexes that it cannot hold make it
// unknown as a whole.
func NewDeviceSet(indexes ...int) DeviceSet {
	var d DeviceSet
	for _, i := range indexes {
		if i < 0 || i > MaxDeviceIndex {
			return 0
		}
		d |= 1 << i
	}
	return d
}

// Has reports whether the device with the index is in the set.
func (d DeviceSet) Has(index int) bool {
	return index >= 0 && index <= MaxDeviceIndex && d&(1<<index) != 0
}

// Count returns the number of devices.
func (d DeviceSet) Count() int { return bits.OnesCount64(uint64(d)) }

// Indexes returns the indexes of the devices, ascending.
func (d DeviceSet) Indexes() []int {
	out := make([]int, 0, d.Count())
	for rest := uint64(d); rest != 0; rest &= rest - 1 {
		out = append(out, bits.TrailingZeros64(rest))
	}
	return out
}

// String prints "0-3,7" as Slurm does, or "?" when they are not known.
func (d DeviceSet) String() string {
	if d == 0 {
		return "?"
	}
	var b strings.Builder
	for from := 0; from <= MaxDeviceIndex; from++ {
		if !d.Has(from) {
			continue
		}
		to := from
		for d.Has(to + 1) {
			to++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(from))
		if to > from {
			b.WriteString("-" + strconv.Itoa(to))
		}
		from = to
	}
	return b.String()
}

// occupant is a job on devices of a slot.
type occupant struct {
	*Job
	Slot
}

// checkDevices names the devices of the slot that hold jobs which do not accept each other,
// too many of them, or more memory than there is. It looks at jobs whose devices are known.
func (v *slotUse) checkDevices() []error {
	var errs []error
	for _, o := range v.occupants {
		if o.Devices != 0 && o.Devices.Count() != o.Count {
			errs = append(errs, fmt.Errorf("job %d: %d devices of node %s, but %d of them named: %v", o.ID, o.Count, v.node, o.Devices.Count(), o.Devices))
		}
	}
	for i := 0; i <= MaxDeviceIndex; i++ {
		var jobs []*Job
		for _, o := range v.occupants {
			if o.Devices.Has(i) {
				jobs = append(jobs, o.Job)
			}
		}
		if err := v.checkDevice(i, jobs); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// checkDevice says why the jobs cannot run on one device together.
func (v *slotUse) checkDevice(index int, jobs []*Job) error {
	var memMB int64
	for a, j := range jobs {
		if len(jobs) > j.JobsPerGPU() {
			return fmt.Errorf("job %d: %d jobs on device %d of node %s, it accepts %d", j.ID, len(jobs), index, v.node, j.JobsPerGPU())
		}
		for _, other := range jobs[:a] {
			if !j.AcceptsNeighbour(other) {
				return fmt.Errorf("job %d: on device %d of node %s beside job %d, which their owners do not accept", j.ID, index, v.node, other.ID)
			}
		}
		memMB += j.Sharing.UsedMemMB()
	}
	if len(jobs) > 1 && v.memMB > 0 && memMB > v.memMB {
		return fmt.Errorf("job %d: device %d of node %s has %d MB, its jobs use %d", jobs[0].ID, index, v.node, v.memMB, memMB)
	}
	return nil
}
