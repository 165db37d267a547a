package chaos

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Overrides changes what a daemon is joined from, so that an error can be planted and
// the oracle be tried. The zero value changes nothing.
type Overrides struct {
	WrapCluster          func(bridge.Cluster) bridge.Cluster // what the loop sees of Slurm; nil: as it is
	WrapJournal          func(bridge.Journal) bridge.Journal // likewise of the ledger
	ChangeConfig         func(*bridge.Config)                // what a daemon is told
	ReportsKnownBreaches bool                                // also what is known to be broken is a breach
	IsUnfenced           bool                                // the database lets every epoch write
	BelievesOldSamples   bool                                // a probe's old sample counts as one of now
	RewriteEdit          func(slurm.Edit) slurm.Edit         // what is sent in place of an edit; nil: the edit
}
