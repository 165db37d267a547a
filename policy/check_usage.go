package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
