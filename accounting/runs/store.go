// Package runs keeps the runs of jobs and the GPUs they held: as polls of Slurm
// see them, and as slurmdbd has them later. Usage is always computed from what was
// held and never accumulated.
package runs

import (
	"cmp"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/predictions"
	"fairbridge/accounting/speeds"
)

// DefaultHalfLife is Slurm's own default for PriorityDecayHalfLife.
const DefaultHalfLife = 7 * 24 * time.Hour

// Store keeps runs in a database. It fills Record and Past of the port History of
// package bridge. It is safe for concurrent use.
type Store struct {
	DB          *accounting.DB
	HalfLife    time.Duration      // after which past usage counts half; 0: DefaultHalfLife
	Predictions *predictions.Store // what is learnt of run times
	Speeds      *speeds.Store      // what jobs reported of their speed
	oldUsage    usageSums
}

func (s *Store) halfLife() time.Duration { return cmp.Or(s.HalfLife, DefaultHalfLife) }
