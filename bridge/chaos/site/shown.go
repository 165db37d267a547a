package site

import (
	"fairbridge/bridge/slurm"
)

// Names of jobs that Slurm shows as what a sim.World knows nothing of.
const (
	Het         = "het"
	Cron        = "cron"
	Reserved    = "reserved"
	Interactive = "interactive"
)

// Shown returns a record as the site's release of Slurm shows it.
func (s Site) Shown(j slurm.Job) slurm.Job {
	switch j.Name {
	case Het:
		j.HetJobID = j.ID
	case Cron:
		j.Cron = "0 * * * *"
	case Reserved:
		j.Reservation = "maintenance"
	case Interactive:
		j.IsBatch = false
	}
	if s.Release < "25.11" {
		j.SLUID = ""
	}
	return j
}
