package predict

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// MedianRunTime returns the median run time of finished jobs; without any, more than
// every estimate.
func MedianRunTime(history []policy.FinishedJob) time.Duration {
	if median := RunTimeQuantiles(history, .5); len(median) > 0 {
		return median[0]
	}
	return 1 << 62
}

// RunTimeQuantiles returns the run times below which such parts of finished jobs are, ascending; nil without any jobs.
func RunTimeQuantiles(history []policy.FinishedJob, parts ...float64) []time.Duration {
	if len(history) == 0 {
		return nil
	}
	ran := make([]time.Duration, len(history))
	for i, h := range history {
		ran[i] = h.Ran
	}
	slices.Sort(ran)
	quantiles := make([]time.Duration, len(parts))
	for i, part := range parts {
		quantiles[i] = ran[min(int(part*float64(len(ran))), len(ran)-1)]
	}
	return quantiles
}
