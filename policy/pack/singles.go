package pack

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

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
