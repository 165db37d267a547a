package sharing

import "fairbridge/bridge/study/reproduce/reproducetest"

var (
	system   = reproducetest.NewSystem
	cluster  = reproducetest.NewCluster
	simulate = reproducetest.Simulate
	median   = reproducetest.Median
)
