package sim

import (
	"fairbridge/bridge/slurm"
)

// Slurm's error numbers, as far as a World gives them.
const (
	BadPartition  = 2000
	AccessDenied  = 2002
	InvalidUser   = 2010
	NoSuchJob     = 2017
	BadNode       = 2018
	JobPending    = 2024
	Disabled      = 2037
	JobHeld       = 2042
	BadAccount    = 2045
	BadGres       = 2072
	NotPending    = 2073
	Finished      = 2084
	PriorityFixed = 2095
)

// newError is a refusal in Slurm's words.
func newError(number int, text string) error {
	return &slurm.Error{Class: classByNumber[number], Number: number, Text: text}
}

// classByNumber sorts Slurm's refusals for callers in process.
var classByNumber = map[int]slurm.Class{
	NoSuchJob: slurm.Gone, JobPending: slurm.Changed, JobHeld: slurm.Changed,
	NotPending: slurm.Changed, Finished: slurm.Changed, AccessDenied: slurm.Refused,
	InvalidUser: slurm.Refused, Disabled: slurm.Refused, PriorityFixed: slurm.Refused,
	BadNode: slurm.Rejected, BadPartition: slurm.Rejected, BadAccount: slurm.Rejected,
	BadGres: slurm.Rejected,
}
