package pack_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
)

// TestGuardsJudgeNeighbours wants a long job not to be put on devices that a
// blocked job is to have when the jobs there end.
func TestGuardsJudgeNeighbours(t *testing.T) {
	for limit, want := range map[time.Duration]policy.Verb{time.Hour: policy.Start, 2 * time.Hour: policy.Wait} {
		s := full()
		s.Jobs[0].Limit, s.Jobs[1].Limit = 2*time.Hour, 2*time.Hour // both have run an hour
		s.Jobs[2].Limit = limit
		s.Jobs[2].Arrive = now.Add(time.Second)
		wide := s.Jobs[2]
		wide.ID, wide.Arrive, wide.Shareable, wide.Ask.GPUs.Count = 4, now, false, 4
		s.Jobs = append(s.Jobs, wide)
		plan, err := engine.Pipeline{
			Allocate: besideFirst{},
			Pack:     pack.BesideAssignedPartner{},
			Backfill: backfill.EASY{},
		}.Decide(
			s,
		)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatal(err)
		}
		if got := plan.Decisions[2]; got.Verb != want {
			t.Errorf("limit %v: %s (%s), want %s", limit, got.Verb, got.Why, want)
		}
	}
}
