package measure

import (
	"cmp"
	"maps"
	"slices"
)

// JobChange is something that changed in the cluster.
type JobChange struct {
	At      float64
	Account string
	GPUs    int // more, or fewer, allocated to the account
	Running int // more, or fewer, jobs
	Queued  int
}

// SamplesFromChanges returns the cluster over time, one sample for each moment in which
// something changed. It sorts the changes.
func SamplesFromChanges(changes []JobChange) []Sample {
	slices.SortStableFunc(changes, func(a, b JobChange) int { return cmp.Compare(a.At, b.At) })
	var out []Sample
	var now Sample
	for i, c := range changes {
		now.At = c.At
		now.BusyGPUs += c.GPUs
		now.RunningJobs += c.Running
		now.QueuedJobs += c.Queued
		if c.GPUs != 0 {
			by := maps.Clone(now.GPUsByAccount)
			if by == nil {
				by = map[string]float64{}
			}
			by[c.Account] += float64(c.GPUs)
			now.GPUsByAccount = by
		}
		if i+1 == len(changes) || changes[i+1].At > c.At {
			out = append(out, now)
		}
	}
	return out
}
