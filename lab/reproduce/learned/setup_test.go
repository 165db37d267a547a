package learned

import "fairbridge/lab/reproduce/reproducetest"

var (
	system   = reproducetest.NewSystem
	cluster  = reproducetest.NewCluster
	simulate = reproducetest.Simulate
	median   = reproducetest.Median
)
