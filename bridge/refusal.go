package bridge

import (
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// Refusal is something a plan wanted that the gate turned down.
type Refusal struct {
	Job       policy.JobID `json:"job"`       // 0: the whole plan
	Invariant invariant.ID `json:"invariant"` // what it would have broken
	Why       string       `json:"why"`       // with its numbers
}
