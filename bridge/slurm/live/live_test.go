package live_test

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm/live"
)

var _ bridge.Cluster = (*live.Cluster)(nil)
