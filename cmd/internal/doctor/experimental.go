package doctor

import (
	"fmt"

	"fairbridge/bridge"
)

// checkExperimental says loudly that a partition is in a mode that is experimental.
func checkExperimental(partition string, mode bridge.Mode) []Finding {
	what, page := "it changes how many GPUs jobs get whose owners declare a range, and", "docs/elastic.md"
	switch {
	case mode.Allows(bridge.ModeShare):
		what, page = "it starts jobs that opted in on shards of a GPU, which fence no memory, beside each other, changes how many GPUs jobs get whose owners declare a range, and", "docs/sharing.md, docs/elastic.md"
	case !mode.Allows(bridge.ModeElastic):
		return nil
	}
	return []Finding{{Subject: "configuration", Level: LevelWarn, Fix: "mode: preempt, unless you try it on purpose (" + page + ")",
		Text: fmt.Sprintf("partition %s is in mode %s, which is EXPERIMENTAL: %s has not been run on real GPUs", partition, mode, what)}}
}
