package bridge

import (
	"time"

	"fairbridge/policy"
)

// Cycle is the record of one cycle.
type Cycle struct {
	Cluster          string            `json:"cluster"`
	Seq              uint64            `json:"seq"`
	Epoch            int64             `json:"epoch"`
	At               time.Time         `json:"at"`
	Partition        string            `json:"partition"`
	Mode             Mode              `json:"mode"`
	Policy           string            `json:"policy"`
	Params           string            `json:"params"` // the policy's parameters, printed
	Snapshot         []byte            `json:"-"`      // canonical JSON of the snapshot
	SnapshotDigest   string            `json:"digest"` // SHA-256 of Snapshot, hex
	Plan             *policy.Plan      `json:"plan"`
	PolicyPlanDigest string            `json:"own,omitempty"` // SHA-256 of the JSON of the plan as the policy made it, before the gate; hex
	Refused          []Refusal         `json:"refused"`       // what the gate turned down
	Pushed           int               `json:"pushed"`        // edits intended
	StepTimes        map[string]string `json:"took"`          // step → duration
}
