package exact

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// maxHistory is how many finished jobs policies see.
const maxHistory = 1000

// history is the latest finished jobs. Policies see them by service, as most would
// sort them so at every decision.
type history struct {
	sorted []policy.FinishedJob
	ring   []policy.FinishedJob // in the order of their ends, the oldest at next
	next   int
}

func (h *history) add(s policy.FinishedJob) {
	if len(h.ring) < maxHistory {
		h.ring = append(h.ring, s)
	} else {
		i, _ := slices.BinarySearchFunc(h.sorted, h.ring[h.next], byService)
		h.sorted = slices.Delete(h.sorted, i, i+1)
		h.ring[h.next] = s
		h.next = (h.next + 1) % maxHistory
	}
	i, _ := slices.BinarySearchFunc(h.sorted, s, byService)
	h.sorted = slices.Insert(h.sorted, i, s)
}

func byService(a, b policy.FinishedJob) int {
	return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Ran, b.Ran), cmp.Compare(a.GPUs, b.GPUs))
}
