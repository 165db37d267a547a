package api

import (
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/bridge"
	"fairbridge/bridge/whatif"
)

// WhenQuery asks when a job would start if it were submitted now.
type WhenQuery struct {
	Partition string // "": the only one
	GPUType   string // "": any
	GPUs      int    // over all nodes
	Nodes     int    // so many, as many GPUs on each; 0: any
	Limit     time.Duration
	User      string    // "": who asks
	Account   string    // "": that of the user's last job, or where the user got most
	Deadline  time.Time // by when it is to be done; zero: nothing is asked of that
}

// When is when a job would start and end, and what would start sooner.
type When struct {
	Partition string      `json:"partition"`
	Mode      bridge.Mode `json:"mode"`
	Policy    string      `json:"policy"`
	AsOf      time.Time   `json:"as_of"` // the last cycle, at which the job counts as submitted
	whatif.JobStart
	Score      *estimates.Score  `json:"score"`                 // how good such estimates were; null: none is known yet
	ScoreError string            `json:"score_error,omitempty"` // why that could not be read
	Sooner     []whatif.JobStart `json:"sooner"`                // smaller and shorter requests that start materially sooner
	Deadline   *Deadline         `json:"deadline,omitempty"`    // how likely it is done by that, and what is likelier; nil: not asked
	LimitError string            `json:"unchecked,omitempty"`   // why the partition's limits could not be read
	// Unknown says that the account that was asked for is not known here, so that it was planned as one that has
	// used nothing; "": it is, or none was asked for.
	Unknown string `json:"unknown,omitempty"`
}
