package chaos

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Parts changes what a daemon is joined from, so that an error can be planted and
// the oracle be tried. The zero value changes nothing.
type Parts struct {
	Cluster   func(bridge.Cluster) bridge.Cluster // what the loop sees of Slurm; nil: as it is
	Journal   func(bridge.Journal) bridge.Journal // likewise of the ledger
	Config    func(*bridge.Config)                // what a daemon is told
	All       bool                                // also what is known to be broken is a breach
	Unfenced  bool                                // the database lets every epoch write
	Rewritten func(slurm.Edit) slurm.Edit         // what is sent in place of an edit; nil: the edit
}
