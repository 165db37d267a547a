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

	ErrnoMixedGresTypes = 2119
)

// newSlurmError is a refusal in Slurm's words.
func newSlurmError(number int, text string) error {
	return &slurm.Error{Class: errorClassByNumber[number], Number: number, Text: text}
}

// errorClassByNumber sorts Slurm's refusals for callers in process.
var errorClassByNumber = map[int]slurm.ErrorClass{
	ErrnoNoSuchJob: slurm.ErrorJobGone, ErrnoJobPending: slurm.ErrorJobChanged, ErrnoJobHeld: slurm.ErrorJobChanged,
	ErrnoNotPending: slurm.ErrorJobChanged, ErrnoFinished: slurm.ErrorJobChanged, ErrnoAccessDenied: slurm.ErrorForbidden,
	ErrnoInvalidUser: slurm.ErrorForbidden, ErrnoDisabled: slurm.ErrorForbidden, ErrnoPriorityFixed: slurm.ErrorForbidden,
	ErrnoBadNode: slurm.ErrorBadRequest, ErrnoBadPartition: slurm.ErrorBadRequest, ErrnoBadAccount: slurm.ErrorBadRequest,
	ErrnoBadGres: slurm.ErrorBadRequest, ErrnoMixedGresTypes: slurm.ErrorBadRequest,
}
