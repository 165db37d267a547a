package predict

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// MedianRunTime returns the median run time of finished jobs; without any, more than
// every estimate.
func MedianRunTime(history []policy.FinishedJob) time.Duration {
	if len(history) == 0 {
		return 1 << 62
	}
	ran := make([]time.Duration, len(history))
	for i, h := range history {
		ran[i] = h.Ran
	}
	slices.Sort(ran)
	return ran[len(ran)/2]
}
