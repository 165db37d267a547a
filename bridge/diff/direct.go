package diff

import (
	"slices"
)

// directGap is how many times the next lower priority of its group one must be
// to be taken for set directly. Slurm's factors of jobs of one QOS and tier
// differ by their weights; a priority that somebody sets is any number.
const directGap = 16

// indirect returns the places whose priority Slurm made itself. The few that
// stand far above all others were set by an administrator: they stay where they
// are, and their priorities are not handed out to others, who would be lifted
// to them.
func indirect(g []place) []place {
	own := make([]int64, len(g))
	for i := range g {
		own[i] = g[i].own
	}
	slices.Sort(own)
	for i := len(own)/2 + 1; i < len(own); i++ {
		if own[i]/directGap > own[i-1] {
			return slices.DeleteFunc(slices.Clone(g), func(p place) bool { return p.own >= own[i] })
		}
	}
	return g
}
