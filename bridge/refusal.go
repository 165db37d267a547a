package bridge

import (
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// Refusal is something a plan wanted that the gate turned down, or in the record of a cycle
// why nothing of the whole plan was sent.
type Refusal struct {
	Job       policy.JobID `json:"job"`       // 0: the whole plan
	Invariant invariant.ID `json:"invariant"` // what it would have broken; "": none, something was in doubt
	Why       string       `json:"why"`       // with its numbers
}
