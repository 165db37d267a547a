// Package samples keeps what node probes measure of GPUs: single readings for some
// days, sums by hour and by run for good.
package samples

import (
	"fairbridge/accounting"
)

// Store keeps readings in a database. It is safe for concurrent use.
type Store struct {
	DB     *accounting.DB
	gpuIDs gpuIDs
}
