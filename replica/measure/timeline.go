package measure

import (
	"cmp"
	"maps"
	"slices"
)

// JobChange is something that changed in the cluster.
type JobChange struct {
	AtSeconds    float64
	Account      string
	GPUDelta     int // more, or fewer, allocated to the account
	RunningDelta int // more, or fewer, jobs
	QueuedDelta  int
}

// SamplesFromChanges returns the cluster over time, one sample for each moment in which
// something changed. It sorts the changes.
func SamplesFromChanges(changes []JobChange) []ClusterSample {
	slices.SortStableFunc(changes, func(a, b JobChange) int { return cmp.Compare(a.AtSeconds, b.AtSeconds) })
	var out []ClusterSample
	var now ClusterSample
	for i, c := range changes {
		now.AtSeconds = c.AtSeconds
		now.BusyGPUs += c.GPUDelta
		now.RunningJobs += c.RunningDelta
		now.QueuedJobs += c.QueuedDelta
		if c.GPUDelta != 0 {
			by := maps.Clone(now.GPUsByAccount)
			if by == nil {
				by = map[string]float64{}
			}
			by[c.Account] += float64(c.GPUDelta)
			now.GPUsByAccount = by
		}
		if i+1 == len(changes) || changes[i+1].AtSeconds > c.AtSeconds {
			out = append(out, now)
		}
	}
	return out
}
