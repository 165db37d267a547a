package accounting

import "fairbridge/bridge"

var (
	_ bridge.Journal    = (*DB)(nil)
	_ bridge.Leadership = (*DB)(nil)
	_ bridge.History    = (*DB)(nil)
	_ bridge.Expiry     = (*DB)(nil)
	_ bridge.Watch      = (*DB)(nil)
)
