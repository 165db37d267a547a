package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// deviceUse counts what devices are used once the plan is carried out.
type deviceUse struct {
	slots    map[slotKey]*slotUse
	unplaced map[string]int // devices of starts without nodes, by type
	free     map[string]int // devices left on nodes that are up, by type
}

type slotKey struct{ node, typ string }

type slotUse struct {
	slotKey
	healthy   int
	up        bool  // its node is
	whole     bool  // devices are whole GPUs
	exclusive int   // devices of jobs that take no neighbour
	shared    int   // devices of jobs that do
	widest    int   // most devices of one job that does
	newJob    JobID // a job that is put here by the plan; 0: none
}

func newDeviceUse(s *Snapshot) *deviceUse {
	u := &deviceUse{slots: map[slotKey]*slotUse{}, unplaced: map[string]int{}, free: map[string]int{}}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for _, d := range n.GPUs {
			at := slotKey{n.Name, d.Type}
			u.slots[at] = &slotUse{slotKey: at, healthy: d.Count - d.Sick, up: n.Down == "", whole: d.IsWhole()}
		}
	}
	return u
}

func (u *deviceUse) add(d *Decision, j *Job) {
	if d.Verb == Start && len(d.On) == 0 {
		u.unplaced[j.Ask.GPUs.Type] += d.GPUs
	}
	if d.Verb != Start && d.Verb != Keep && d.Verb != Move && d.Verb != Resize {
		return
	}
	for _, s := range d.On {
		v := u.slots[slotKey{s.Node, s.Type}]
		if v == nil {
			continue
		}
		if j.Shareable {
			v.shared, v.widest = v.shared+s.Count, max(v.widest, s.Count)
		} else {
			v.exclusive += s.Count
		}
		if d.Verb != Keep {
			v.newJob = j.ID
		}
	}
}

// devices returns the fewest devices that can hold the jobs, at most two to a
// device and only where both accept a neighbour.
func (v *slotUse) devices() int { return v.exclusive + max((v.shared+1)/2, v.widest) }

// overdrawn names the slots where the plan puts a job and there is not enough.
// What running jobs overdraw by themselves, on devices that turned sick under
// them, is no fault of the plan.
func (u *deviceUse) overdrawn() []error {
	var errs []error
	all := make([]*slotUse, 0, len(u.slots))
	for _, v := range u.slots {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b *slotUse) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.typ, b.typ))
	})
	for _, v := range all {
		if v.newJob != 0 && v.devices() > v.healthy {
			errs = append(errs, fmt.Errorf("job %d: node %s has %d healthy %s, %d are given out", v.newJob, v.node, v.healthy, v.typ, v.devices()))
		}
		u.addFree(v)
	}
	return append(errs, u.checkUnplaced()...)
}

// addFree counts what the slot has left for starts without nodes.
func (u *deviceUse) addFree(v *slotUse) {
	if !v.up {
		return
	}
	left := max(v.healthy-v.devices(), 0)
	u.free[v.typ] += left
	if v.whole {
		u.free[""] += left
	}
}

// checkUnplaced wants enough devices in all for the starts without nodes.
func (u *deviceUse) checkUnplaced() []error {
	var errs []error
	for _, t := range slices.Sorted(maps.Keys(u.unplaced)) {
		if u.unplaced[t] > u.free[t] {
			errs = append(errs, fmt.Errorf("%d GPUs of type %q are started without nodes, %d are left", u.unplaced[t], t, u.free[t]))
		}
	}
	return errs
}
