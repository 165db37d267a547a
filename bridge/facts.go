package bridge

import (
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Facts are what a cycle knows, as values.
type Facts struct {
	View                  *slurm.View                     // what Slurm shows; it was judged and believed
	Past                  *Past                           // what history adds; nil: it was not asked
	MeasuredByNode        map[string][]policy.NodeDevices // measured devices by node; a node without a fresh sample is absent
	UseByJob              map[int64]JobUse                // what the probes saw of single jobs, by Slurm's id
	MemoByPartition       map[string]Memo                 // by partition
	Intents               []Intent                        // the ledger, as far back as it matters, by ID
	LeftAloneReasonByUser map[string]string               // users whose jobs are left alone, and why
	LeftAloneByJob        map[int64]*OperatorAction       // jobs that an operator's action leaves alone
	OtherOrderReasonByJob map[int64]string                // waiting jobs that something else orders, and how that shows
	HasExpiryTimer        bool                            // something outside the daemon takes node lists back
}
