package live_test

import (
	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm/live"
)

var (
	_ bridge.Cluster     = (*live.Cluster)(nil)
	_ bridge.HandBacker  = (*live.Cluster)(nil)
	_ bridge.Cluster     = (*live.LazyCluster)(nil)
	_ bridge.HandBacker  = (*live.LazyCluster)(nil)
	_ push.AccessChecker = (*live.LazyCluster)(nil)
)
