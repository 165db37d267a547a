package bridge

import (
	"time"

	"fairbridge/policy"
)

// LossReport is one report of a job of its training loss.
type LossReport struct {
	Job        policy.JobID
	User       string
	At         time.Time // when the probe received it
	Point      policy.LossPoint
	TotalSteps float64 // in all; 0: it does not say
}

// LossHistory is what a job reported of its training loss, in all its runs.
type LossHistory struct {
	Points     []policy.LossPoint // by step, ascending, thinned; of work that a stop lost nothing is left
	TotalSteps float64            // its newest word; 0: it does not say
}

// RequestCount is how many requests a job had answered in its run by a time, by its own report.
type RequestCount struct {
	At    time.Time
	Count float64
}

// RequestReport is one report of a replica of its requests.
type RequestReport struct {
	Job                    policy.JobID
	Account, User, Service string
	RequestCount
}

// ServiceKey is the name by which a service is told from those of other accounts and users.
func ServiceKey(account, user, name string) string { return account + "/" + user + "/" + name }
