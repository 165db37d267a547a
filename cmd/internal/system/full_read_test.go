package system

import (
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm/live"
)

// The cluster of the daemon can be asked for a whole list, without which no job is stopped.
var _ cycle.FullReader = (*live.LazyCluster)(nil)
