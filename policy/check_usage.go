package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// usage counts who uses what once the plan is carried out.
type usage struct {
	slots map[place]*slotUse
	loose map[string]int // devices of starts without nodes, by type
	free  map[string]int // devices left on nodes that are up, by type
}

type place struct{ node, typ string }

type slotUse struct {
	place
	healthy int
	up      bool  // its node is
	whole   bool  // devices are whole GPUs
	alone   int   // devices of jobs that take no neighbour
	shared  int   // devices of jobs that do
	widest  int   // most devices of one job that does
	fresh   JobID // a job that is put here by the plan; 0: none
}

func newUsage(s *Snapshot) *usage {
	u := &usage{slots: map[place]*slotUse{}, loose: map[string]int{}, free: map[string]int{}}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for _, d := range n.GPUs {
			at := place{n.Name, d.Type}
			u.slots[at] = &slotUse{place: at, healthy: d.Count - d.Sick, up: n.Down == "", whole: d.IsWhole()}
		}
	}
	return u
}

func (u *usage) add(d *Decision, j *Job) {
	if d.Verb == Start && len(d.On) == 0 {
		u.loose[j.Ask.GPUs.Type] += d.GPUs
	}
	if d.Verb != Start && d.Verb != Keep && d.Verb != Move && d.Verb != Resize {
		return
	}
	for _, s := range d.On {
		v := u.slots[place{s.Node, s.Type}]
		if v == nil {
			continue
		}
		if j.Shareable {
			v.shared, v.widest = v.shared+s.Count, max(v.widest, s.Count)
		} else {
			v.alone += s.Count
		}
		if d.Verb != Keep {
			v.fresh = j.ID
		}
	}
}

// devices returns the fewest devices that can hold the jobs, at most two to a
// device and only where both accept a neighbour.
func (v *slotUse) devices() int { return v.alone + max((v.shared+1)/2, v.widest) }

// overdrawn names the slots where the plan puts a job and there is not enough.
// What running jobs overdraw by themselves, on devices that turned sick under
// them, is no fault of the plan.
func (u *usage) overdrawn() []error {
	var errs []error
	all := make([]*slotUse, 0, len(u.slots))
	for _, v := range u.slots {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b *slotUse) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.typ, b.typ))
	})
	for _, v := range all {
		if v.fresh != 0 && v.devices() > v.healthy {
			errs = append(errs, fmt.Errorf("job %d: node %s has %d healthy %s, %d are given out", v.fresh, v.node, v.healthy, v.typ, v.devices()))
		}
		u.leave(v)
	}
	return append(errs, u.looseEnds()...)
}

// leave counts what the slot has left for starts without nodes.
func (u *usage) leave(v *slotUse) {
	if !v.up {
		return
	}
	left := max(v.healthy-v.devices(), 0)
	u.free[v.typ] += left
	if v.whole {
		u.free[""] += left
	}
}

// looseEnds wants enough devices in all for the starts without nodes.
func (u *usage) looseEnds() []error {
	var errs []error
	for _, t := range slices.Sorted(maps.Keys(u.loose)) {
		if u.loose[t] > u.free[t] {
			errs = append(errs, fmt.Errorf("%d GPUs of type %q are started without nodes, %d are left", u.loose[t], t, u.free[t]))
		}
	}
	return errs
}
