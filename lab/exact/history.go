package exact

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// maxFinishedJobs is how many finished jobs policies see.
const maxFinishedJobs = 1000

// finishedJobs is the latest finished jobs. Policies see them by service, as most would
// sort them so at every decision.
type finishedJobs struct {
	sortedByService []policy.FinishedJob
	sortedByEnd     []policy.FinishedJob // in the order of their ends, the oldest at next
	oldestIndex     int
}

func (h *finishedJobs) addJob(s policy.FinishedJob) {
	if len(h.sortedByEnd) < maxFinishedJobs {
		h.sortedByEnd = append(h.sortedByEnd, s)
	} else {
		i, _ := slices.BinarySearchFunc(h.sortedByService, h.sortedByEnd[h.oldestIndex], compareService)
		h.sortedByService = slices.Delete(h.sortedByService, i, i+1)
		h.sortedByEnd[h.oldestIndex] = s
		h.oldestIndex = (h.oldestIndex + 1) % maxFinishedJobs
	}
	i, _ := slices.BinarySearchFunc(h.sortedByService, s, compareService)
	h.sortedByService = slices.Insert(h.sortedByService, i, s)
}

func compareService(a, b policy.FinishedJob) int {
	return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Ran, b.Ran), cmp.Compare(a.GPUs, b.GPUs))
}
