package numbers

import (
	"math"
	"slices"
)

// directPriorityRatio is how many times the next lower priority of its group one must be
// to be taken for set directly. Slurm's factors of jobs of one QOS and tier
// differ by their weights; a priority that somebody sets is any number.
const directPriorityRatio = 16

// DirectPriorityThreshold returns the least of the priorities of a group that Slurm did not make
// itself, more than all others when it made all. The few that stand far above the
// rest were set by an administrator: they stay where they are, and are not handed
// out to others, who would be lifted to them.
func DirectPriorityThreshold(own []int64) int64 {
	own = slices.Clone(own)
	slices.Sort(own)
	for i := len(own)/2 + 1; i < len(own); i++ {
		if own[i]/directPriorityRatio > own[i-1] {
			return own[i]
		}
	}
	return math.MaxInt64
}
