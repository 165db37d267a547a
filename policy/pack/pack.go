// Package pack finds places beside running jobs, for jobs whose owners accept a
// neighbour.
//
// Slurm gives whole GPUs to one job only. It can carry such a plan out where
// GPUs are configured as shards, which are devices of a type of their own and
// need no packing here; elsewhere the plan says what sharing would bring.
//
// BesideAssignedPartner serves systems that choose the pairs themselves, ByMemory Salus.
package pack

import (
	"cmp"
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

var errNoPartner = errors.New("no running job that takes a neighbour has the same shape and idle GPUs")

// BesideAssignedPartner puts a job on the very devices of the job that its assignment is beside, which
// runs or has just been started.
type BesideAssignedPartner struct{}

// Pack implements engine.Packer.
func (BesideAssignedPartner) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	gang := e.GangAsk()
	i, known := slices.BinarySearchFunc(r.Entries, e.BesideJob, func(h *engine.Entry, id policy.JobID) int { return cmp.Compare(h.ID, id) })
	if !known {
		return engine.SharedPlace{}, errNoPartner
	}
	h := r.Entries[i]
	if !h.Shareable || h.State == policy.Suspended || len(h.PlannedAlloc) == 0 {
		return engine.SharedPlace{}, errNoPartner
	}
	gang.GPUs.Type = cmp.Or(gang.GPUs.Type, h.PlannedAlloc[0].Type)
	if canJoin(r, h, e, gang) {
		return engine.SharedPlace{On: slices.Clone(h.PlannedAlloc), Beside: h.ID}, nil
	}
	return engine.SharedPlace{}, errNoPartner
}

// Singles returns the running entries that stay where they are, accept neighbours and share their
// devices with none so far, in Entries order.
func Singles(r *engine.Round) []*engine.Entry {
	byNode := map[string][]*engine.Entry{}
	for _, e := range r.Entries {
		if e.Shareable {
			for _, s := range e.PlannedAlloc {
				byNode[s.Node] = append(byNode[s.Node], e)
			}
		}
	}
	var out []*engine.Entry
	for _, e := range r.RunningEntries() {
		if e.Shareable && e.State == policy.Running && e.PlannedAlloc.Equal(e.On) && isAlone(r, e, byNode) {
			out = append(out, e)
		}
	}
	return out
}

// isAlone reports whether none of the entries, which are listed by their nodes, is on its devices.
func isAlone(r *engine.Round, e *engine.Entry, byNode map[string][]*engine.Entry) bool {
	return !slices.ContainsFunc(e.On, func(s policy.Slot) bool {
		return slices.ContainsFunc(byNode[s.Node], func(o *engine.Entry) bool { return o != e && sharesDevices(r, o, e) })
	})
}

// JoinsSingle reports whether the devices of a host that is alone there are a lawful place for
// the entry, their owners accept each other and their memory is enough as far as it is known.
func JoinsSingle(r *engine.Round, h, e *engine.Entry) bool {
	return pool.AllowsAlloc(r.FreePool, h.PlannedAlloc, e.Partition, e.GangAsk()) && Accepts(r, []*engine.Entry{h}, h.PlannedAlloc, e)
}

// KnowsMemory reports whether it is known how much memory all devices of a place have.
func KnowsMemory(r *engine.Round, on policy.Alloc) bool {
	return !slices.ContainsFunc(on, func(s policy.Slot) bool { return deviceMemMB(r.Node(s.Node), s.Type) == 0 })
}

// MemMarginMB is how much memory of a GPU stays free beside what its jobs are known to use.
const MemMarginMB = policy.SharedMemMarginMB

// Group returns the jobs that share devices with the entry as the plan stands so far, itself
// included, in Entries order.
func Group(r *engine.Round, e *engine.Entry) []*engine.Entry {
	var group []*engine.Entry
	for _, o := range r.Entries {
		if o == e || len(o.PlannedAlloc) > 0 && o.Shareable && e.Shareable && sharesDevices(r, o, e) {
			group = append(group, o)
		}
	}
	return group
}

// sharesDevices reports whether two jobs that accept neighbours are on devices of each other.
// Where it is not known which devices they have, they are if one was put beside the other, or if
// both have the same place and more is given out there than there is.
func sharesDevices(r *engine.Round, a, b *engine.Entry) bool {
	if a.SharesWith == b.ID || b.SharesWith == a.ID || a.SharesWith != 0 && a.SharesWith == b.SharesWith {
		return true
	}
	known := false
	for _, x := range a.PlannedAlloc {
		for _, y := range b.PlannedAlloc {
			if x.Node != y.Node || x.Type != y.Type || x.Devices == 0 || y.Devices == 0 {
				continue
			}
			if known = true; x.Devices&y.Devices != 0 {
				return true
			}
		}
	}
	return !known && a.PlannedAlloc.Equal(b.PlannedAlloc) && r.FreePool.IsOverdrawn(a.PlannedAlloc[0].Node, a.PlannedAlloc[0].Type)
}

// canJoin reports whether the devices of a host are a lawful place for the gang, beside all
// that are there already.
func canJoin(r *engine.Round, h, e *engine.Entry, gang policy.Ask) bool {
	return pool.AllowsAlloc(r.FreePool, h.PlannedAlloc, e.Partition, gang) && Accepts(r, Group(r, h), h.PlannedAlloc, e)
}

// Accepts reports whether the jobs of a group, which are on the devices, and the entry accept
// each other, and their memory is enough as far as it is known.
func Accepts(r *engine.Round, group []*engine.Entry, on policy.Alloc, e *engine.Entry) bool {
	most, memMB := e.JobsPerGPU(), e.Sharing.UsedMemMB()
	for _, o := range group {
		if !e.AcceptsNeighbour(o.Job) {
			return false
		}
		most, memMB = min(most, o.JobsPerGPU()), memMB+o.Sharing.UsedMemMB()
	}
	if len(group)+1 > most {
		return false
	}
	for _, s := range on {
		if d := devicesOfType(r.Node(s.Node), s.Type); d.OnlyWhole || d.MemMB > 0 && memMB+MemMarginMB > d.MemMB {
			return false
		}
	}
	return true
}

// devicesOfType returns the devices of the type on the node, none where it has none or is not known.
func devicesOfType(n *policy.Node, gpuType string) policy.NodeDevices {
	if n != nil {
		for _, d := range n.GPUs {
			if d.Type == gpuType {
				return d
			}
		}
	}
	return policy.NodeDevices{}
}

// deviceMemMB is the memory of each device of the type on the node; 0: not known.
func deviceMemMB(n *policy.Node, gpuType string) int64 { return devicesOfType(n, gpuType).MemMB }
