package bridge

import (
	"fairbridge/policy"
)

// Refusal is one wish the gate turned down.
type Refusal struct {
	Job       policy.JobID `json:"job"`       // 0: the whole plan
	Invariant string       `json:"invariant"` // "I6"
	Why       string       `json:"why"`       // with its numbers
}
