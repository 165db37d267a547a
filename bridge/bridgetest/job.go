// Package bridgetest has the values that tests of several packages begin with.
package bridgetest

import (
	"time"

	"fairbridge/bridge/slurm"
)

// Noon is now.
var Noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// NewWaitingJob returns job 7, which has waited for an hour. Its owner wants node n1
// and not n9, and has set a nice of 3.
func NewWaitingJob() slurm.Job {
	return slurm.Job{
		ID: 7, Submit: Noon.Add(-time.Hour), EligibleTime: Noon.Add(-time.Hour), State: "PENDING", Priority: 5000,
		Nice: 3, IsNiceKnown: true, RequiredNodes: slurm.ReadHosts("n1"), ExcludedNodes: slurm.ReadHosts("n9"), IsBatch: true,
	}
}
