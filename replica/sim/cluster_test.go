package sim_test

import (
	"fairbridge/bridge"
	"fairbridge/replica/sim"
)

// The loop takes a simulated cluster for a real one.
var _ bridge.Cluster = sim.DirectCluster{}
