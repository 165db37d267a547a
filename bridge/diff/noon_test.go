package diff

import (
	"time"

	"fairbridge/bridge/slurm"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func waitingJob() slurm.Job {
	return slurm.Job{
		ID: 7, Submit: noon.Add(-time.Hour), Eligible: noon.Add(-time.Hour), State: "PENDING", Priority: 5000,
		Nice: 3, NiceKnown: true, Required: slurm.ReadHosts("n1"), Excluded: slurm.ReadHosts("n9"), Batch: true,
	}
}
