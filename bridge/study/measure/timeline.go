package measure

import (
	"cmp"
	"maps"
	"slices"
)

// Change is something that changed in the cluster.
type Change struct {
	At      float64
	Account string
	GPUs    int // more, or fewer, allocated to the account
	Running int // more, or fewer, jobs
	Queued  int
}

// Timeline returns the cluster over time, one sample for each moment in which
// something changed. It sorts the changes.
func Timeline(changes []Change) []Sample {
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	var out []Sample
	var now Sample
	for i, c := range changes {
		now.At = c.At
		now.Busy += c.GPUs
		now.Running += c.Running
		now.Queued += c.Queued
		if c.GPUs != 0 {
			by := maps.Clone(now.GPUs)
			if by == nil {
				by = map[string]float64{}
			}
			by[c.Account] += float64(c.GPUs)
			now.GPUs = by
		}
		if i+1 == len(changes) || changes[i+1].At > c.At {
			out = append(out, now)
		}
	}
	return out
}
