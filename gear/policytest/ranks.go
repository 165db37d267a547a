package policytest

import (
	"bytes"
	"slices"

	"fairbridge/policy"
)

// checkRanksOmitted wants the same plan but for its ranks where they will not be read and few jobs wait, or none.
func (l lawCheck) checkRanksOmitted(s *policy.Snapshot) {
	l.Helper()
	for most := range 4 {
		few, waiting := s.Clone(), 0
		few.OmitReasons = true
		few.Jobs = slices.DeleteFunc(few.Jobs, func(j policy.Job) bool {
			if !j.HoldsGPUs() {
				waiting++
			}
			return !j.HoldsGPUs() && waiting > most
		})
		ranked := l.encodeUnranked(few)
		few.OmitRanks = true
		if unranked := l.encodeUnranked(few); !bytes.Equal(ranked, unranked) {
			l.Fatalf("ranks that are not read change the plan:\n%s\n%s", ranked, unranked)
		}
	}
}

func (l lawCheck) encodeUnranked(s *policy.Snapshot) []byte {
	l.Helper()
	plan := l.decide(s)
	for i := range plan.Decisions {
		plan.Decisions[i].Rank, plan.Decisions[i].Why = 0, ""
	}
	return l.encodePlan(plan)
}
