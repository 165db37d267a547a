package hived

import (
	"fmt"
	"slices"

	"fairbridge/policy/cells"
)

// build makes the cells of the nodes, and virtual clusters of the accounts, and finds out which jobs the
// cells of their accounts could hold while no job runs on them.
func (h *allocator) build() (err error) {
	var accounts []string
	for _, q := range h.quotas {
		accounts = append(accounts, q.account)
	}
	for _, e := range h.Entries {
		accounts = append(accounts, e.Account)
	}
	h.mostOnNode = map[string]int{}
	for i := range h.Nodes {
		for _, d := range h.Nodes[i].GPUs {
			h.mostOnNode[d.Type], h.mostOnNode[""] = max(h.mostOnNode[d.Type], d.Count), max(h.mostOnNode[""], d.Count)
		}
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	h.cluster, err = newCluster(describeNodes(h.Snapshot), h.quotas, accounts)
	if err != nil {
		return err
	}
	holds := map[string]bool{}
	for _, e := range h.Entries {
		h.verdicts[e.Index].isGuaranteed = !e.HoldsGPUs() && h.hasCells(e) && h.couldHold(h.request(e, e.Ask.GPUs.Type, cells.MinPriority), holds)
	}
	return nil
}

// couldHold reports whether the cells of its account hold a job when nothing runs; holds is what was found of
// jobs like it.
func (h *allocator) couldHold(r cells.Request, holds map[string]bool) bool {
	key := fmt.Sprint(r.VirtualCluster, r.DeviceType, r.Members)
	can, known := holds[key]
	if !known {
		r.Reserves, r.IsSuggested = false, nil
		a, err := h.cluster.Schedule(r)
		can = err == nil && a.Wait != cells.NoCapacity
		holds[key] = can
	}
	return can
}
