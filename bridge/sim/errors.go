package sim

import (
	"fairbridge/bridge/slurm"
)

// Slurm's error numbers, as far as a World gives them.
const (
	ErrnoBadPartition  = 2000
	ErrnoAccessDenied  = 2002
	ErrnoInvalidUser   = 2010
	ErrnoNoSuchJob     = 2017
	ErrnoBadNode       = 2018
	ErrnoJobPending    = 2024
	ErrnoDisabled      = 2037
	ErrnoJobHeld       = 2042
	ErrnoBadAccount    = 2045
	ErrnoBadGres       = 2072
	ErrnoNotPending    = 2073
	ErrnoFinished      = 2084
	ErrnoPriorityFixed = 2095
)

// newError is a refusal in Slurm's words.
func newError(number int, text string) error {
	return &slurm.Error{Class: classByNumber[number], Number: number, Text: text}
}

// classByNumber sorts Slurm's refusals for callers in process.
var classByNumber = map[int]slurm.Class{
	ErrnoNoSuchJob: slurm.Gone, ErrnoJobPending: slurm.Changed, ErrnoJobHeld: slurm.Changed,
	ErrnoNotPending: slurm.Changed, ErrnoFinished: slurm.Changed, ErrnoAccessDenied: slurm.Refused,
	ErrnoInvalidUser: slurm.Refused, ErrnoDisabled: slurm.Refused, ErrnoPriorityFixed: slurm.Refused,
	ErrnoBadNode: slurm.Rejected, ErrnoBadPartition: slurm.Rejected, ErrnoBadAccount: slurm.Rejected,
	ErrnoBadGres: slurm.Rejected,
}
