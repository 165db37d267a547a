package deadline

import (
	"fmt"

	"fairbridge/policy"
)

// remembered is what a policy and the rule beside it remember together.
type remembered struct {
	Ledger *ledger     `json:"deadline_budgets"`
	Policy policy.Memo `json:"policy"`
}

// splitMemo parts a memo into that of the policy and what was spent of budgets; nil: nothing was
// kept of those, and all is the policy's.
func splitMemo(m policy.Memo) (policy.Memo, *ledger, error) {
	if both, ok := policy.HandedOn[*remembered](m); ok {
		return both.Policy, both.Ledger, nil
	}
	if !m.IsStored() {
		return m, nil, nil
	}
	both, err := policy.Recall[remembered](m)
	if err != nil || both.Ledger == nil {
		return m, nil, nil // it is the policy's own
	}
	if err := both.Ledger.check(); err != nil {
		return m, nil, fmt.Errorf("reading what was spent of deadline budgets: %w", err)
	}
	return both.Policy, both.Ledger, nil
}

// joinMemo is the reverse of splitMemo.
func joinMemo(own policy.Memo, spent *ledger) policy.Memo {
	if spent == nil {
		return own
	}
	return policy.Remember(&remembered{spent, own})
}
