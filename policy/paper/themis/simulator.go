package themis

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/paper/gavel"
)

// decideAsSimulator is Gavel with the objective of finish-time fairness, which is
// what Gavel and Shockwave's simulator take Themis for.
func (t *Policy) decideAsSimulator(s *policy.Snapshot) (*policy.Plan, error) {
	g := &gavel.Policy{Objective: gavel.ObjectiveFinishTime, Aware: true, Round: t.Round, Recompute: 1000 * time.Second,
		PatientLimits: t.PatientLimits}
	plan, err := g.Decide(s)
	if err != nil {
		return nil, fmt.Errorf("policy themis: %w", err)
	}
	plan.Policy = "themis"
	return plan, nil
}
