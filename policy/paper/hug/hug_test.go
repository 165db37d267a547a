package hug_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/hug"
)

// TestHUGCaps is the brief's example in jobs: two accounts with mixes (1/2, 1)
// and (1, 1/6) of two GPU types, 12 of each. A may use 4 and 8, B 8 and 4.
func TestHUGCaps(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{
		{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 12}}},
		{Name: "n2", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "h", Count: 12}}},
	}}
	add := func(account, typ string, n int) {
		for range n {
			id := policy.JobID(len(s.Jobs) + 1)
			s.Jobs = append(s.Jobs, policy.Job{ID: id, User: account, Account: account, Partition: "gpu", State: policy.Pending,
				Arrive: policytest.SnapshotTime.Add(time.Duration(id)*time.Second - time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: typ, Count: 1}}})
		}
	}
	add("A", "g", 12)
	add("A", "h", 24)
	add("B", "g", 24)
	add("B", "h", 4)
	for _, cooperative := range []bool{false, true} {
		plan, err := policytest.NewPolicy(t, hug.System().New, paper.Params{"cooperative": cooperative}).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		got, held := map[string]int{}, 0
		for _, d := range plan.Decisions {
			switch j := s.Job(d.Job); {
			case d.Verb == policy.Start:
				got[j.Account+j.Ask.GPUs.Type]++
			case strings.Contains(d.Why, "cap of"):
				held++
			}
		}
		// Those who cooperate share what is left of h: 4/3 each, and one for who is
		// first.
		want := map[bool]string{false: "map[Ag:4 Ah:8 Bg:8 Bh:4]", true: "map[Ag:4 Ah:10 Bg:8 Bh:2]"}[cooperative]
		if fmt.Sprint(got) != want {
			t.Errorf("cooperative %v: %v, want %s", cooperative, got, want)
		}
		if want := len(s.Jobs) - 24; !cooperative && held != want || cooperative && held > 0 {
			t.Errorf("cooperative %v: %d are held at the cap", cooperative, held)
		}
	}
}

// TestHUGReclaims lets an account that came late take its guarantee back from
// one that ran on what was left, and no more.
func TestHUGReclaims(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}}}}
	for id := range policy.JobID(16) {
		j := policy.Job{ID: id + 1, User: "u", Account: "early", Partition: "gpu", State: policy.Running, Arrive: policytest.SnapshotTime.Add(-2 * time.Hour),
			Start: policytest.SnapshotTime.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, On: policy.Alloc{{Node: "n1", Type: "g", Count: 1}}}
		if id >= 8 {
			j.Account, j.State, j.On, j.Start, j.Arrive = "late", policy.Pending, nil, time.Time{}, policytest.SnapshotTime.Add(-time.Minute)
		}
		s.Jobs = append(s.Jobs, j)
	}
	for _, preempt := range []bool{true, false} {
		plan, err := policytest.NewPolicy(t, hug.System().New, paper.Params{"preempt": preempt}).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		stops := 0
		for _, d := range plan.Decisions {
			if d.Verb == policy.Stop {
				stops++
			}
		}
		if preempt && stops != 4 || !preempt && stops != 0 {
			t.Errorf("preempt %v: %d jobs are stopped", preempt, stops)
		}
	}
}

func TestHUGGarbledMemo(t *testing.T) {
	for _, memo := range []string{"{", `"x"`, `{"accounts":["a"],"resources":["cores"],"mix":[]}`} {
		_, err := policytest.NewPolicy(t, hug.System().New, nil).Decide(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(memo))})
		if err == nil || !strings.HasPrefix(err.Error(), "policy hug: reading what was remembered: ") {
			t.Errorf("memo %s: %v", memo, err)
		}
	}
}
