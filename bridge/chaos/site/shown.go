package site

import (
	"fairbridge/bridge/slurm"
)

// Names of jobs that Slurm shows as what a sim.World knows nothing of.
const (
	HetJobName         = "het"
	CronJobName        = "cron"
	ReservedJobName    = "reserved"
	InteractiveJobName = "interactive"
)

// ShownJob returns a record as the site's release of Slurm shows it.
func (s Site) ShownJob(j slurm.Job) slurm.Job {
	switch j.Name {
	case HetJobName:
		j.HetJobID = j.ID
	case CronJobName:
		j.Cron = "0 * * * *"
	case ReservedJobName:
		j.Reservation = "maintenance"
	case InteractiveJobName:
		j.IsBatch = false
	}
	if s.SlurmRelease < "25.11" {
		j.SLUID = ""
	}
	return j
}
