package gandivafair_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/gandivafair"
)

// TestGandivaFairGangs: one server of four GPUs, equal tickets. The widest
// runs once for every four turns of the others; the gang of two takes what
// would idle.
func TestGandivaFairGangs(t *testing.T) {
	equal := map[string]float64{"A": 1, "B": 1, "C": 1, "D": 1}
	got := policytest.RunQuanta(t, policytest.NewPolicy(t, gandivafair.System().New, paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"}), 4, 100, map[string]int{"A": 1, "B": 1, "C": 2, "D": 4}, equal)
	if first := strings.Join(got[:7], " "); first != "D ABC ABC ABC ABC D ABC" {
		t.Errorf("turns %s", first)
	}
	for name, want := range map[string]int{"A": 80, "B": 80, "C": 80, "D": 20} {
		if n := strings.Count(strings.Join(got, ""), name); n != want {
			t.Errorf("%s ran %d of 100 quanta, want %d", name, n, want)
		}
	}
}

func TestGandivaFairTickets(t *testing.T) {
	got := policytest.RunQuanta(t, policytest.NewPolicy(t, gandivafair.System().New, paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"}), 1, 6, map[string]int{"A": 1, "B": 1}, map[string]float64{"A": 2, "B": 1})
	if s := strings.Join(got, " "); s != "A B A A B A" {
		t.Errorf("turns %s, want A B A A B A", s)
	}
}

// TestGandivaFairTrades: accounts on as many fast as slow GPUs. Of three whose
// jobs gain 1.5, 4 and 3 by the fast ones, the second buys four thirds of a
// fast GPU from the first with its four slow ones, at the price of the third.
// Of two that gain 1.2 and 5, the second buys at the seller's gain with the
// margin, 1.32.
func TestGandivaFairTrades(t *testing.T) {
	for name, c := range map[string]struct {
		trade       bool
		gains, want []float64
	}{
		"three":           {true, []float64{1.5, 4, 3}, []float64{4 - 4./3, 4 + 4./3, 4}},
		"three, no trade": {false, []float64{1.5, 4, 3}, []float64{4, 4, 4}},
		"two":             {true, []float64{1.2, 5}, []float64{4 - 4/1.32, 4 + 4/1.32}},
		"two, no trade":   {false, []float64{1.2, 5}, []float64{4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTraders(c.gains)
			fast := received(t, s, paper.Params{"trade": c.trade, "min_run": "1s", "max_stops": -1, "max_wait": "0s"}, 300, len(c.gains))
			for i, w := range c.want {
				if d := fast[i] - w; d > 0.1 || d < -0.1 {
					t.Errorf("account %d had %.2f fast GPUs on average, want %.2f", i, fast[i], w)
				}
			}
		})
	}
}

// newTraders is a cluster of four fast and four slow GPUs an account, each
// account having 12 jobs that gain as much by the fast ones as told.
func newTraders(gains []float64) *policy.Snapshot {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now}
	for _, typ := range []string{"k80", "v100"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: typ, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: typ, Count: 4 * len(gains)}}})
	}
	for i := range 12 * len(gains) {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: fmt.Sprintf("a%d", i/12), Partition: "p",
			State: policy.Pending, Arrive: now.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}},
			Training: &policy.Training{Steps: 1e9, Rates: []policy.Rate{{Type: "k80", StepsPerSecond: 1}, {Type: "v100", StepsPerSecond: gains[i/12]}}}})
	}
	return s
}

// received returns the mean number of v100 each of the accounts held over the quanta.
func received(t *testing.T, s *policy.Snapshot, params paper.Params, quanta, accounts int) []float64 {
	t.Helper()
	p := policytest.NewPolicy(t, gandivafair.System().New, params)
	fast := make([]float64, accounts)
	for range quanta {
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatal(err)
		}
		s.Now = s.Now.Add(time.Minute)
		for i, d := range plan.Decisions {
			j := &s.Jobs[i]
			switch d.Verb {
			case policy.Start, policy.Move:
				j.State, j.On, j.Start = policy.Running, d.On, s.Now.Add(-time.Minute)
			case policy.Stop:
				j.State, j.On, j.Start = policy.Pending, nil, time.Time{}
			}
			if j.HoldsGPUs() {
				j.Attained += 60
				if j.On[0].Type == "v100" {
					fast[i/12] += 1 / float64(quanta)
				}
			}
		}
		s.Memo = plan.Memo
	}
	return fast
}

// TestGandivaFairStays: a job alone on GPUs of three types stays where it is.
func TestGandivaFairStays(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now}
	for _, typ := range []string{"a100", "k80", "v100"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: typ, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: typ, Count: 2}}})
	}
	s.Jobs = []policy.Job{{ID: 1, User: "u", Account: "a", Partition: "p", State: policy.Running, Start: now, On: policy.Alloc{{Node: "v100", Type: "v100", Count: 1}},
		Arrive: now.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}}}
	p := policytest.NewPolicy(t, gandivafair.System().New, paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"})
	for range 10 {
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[0]; d.Verb != policy.Keep {
			t.Fatalf("at %v: %v, %s", s.Now, d.Verb, d.Why)
		}
		s.Now, s.Memo = s.Now.Add(time.Minute), plan.Memo
		s.Jobs[0].Attained += 60
	}
}

// TestGandivaFairFlood: A has one job that never ends; B submits one a minute
// that takes a minute. Nobody says when a job ended, so that B is charged half a
// minute for each; A has no less than a third of the GPU.
func TestGandivaFairFlood(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	job := func(id int, account string) policy.Job {
		return policy.Job{ID: policy.JobID(id), User: "u", Account: account, Partition: "p", State: policy.Pending, Arrive: now,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: 1}}}
	}
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: 1}}}},
		Jobs: []policy.Job{job(1, "A")}}
	p, ran := policytest.NewPolicy(t, gandivafair.System().New, paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"}), 0
	for minute := range 100 {
		s.Jobs = append(s.Jobs, job(minute+2, "B"))
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		s.Now, s.Memo = s.Now.Add(time.Minute), plan.Memo
		left := s.Jobs[:0]
		for i, j := range s.Jobs {
			runs := plan.Decisions[i].On.Count() > 0
			switch {
			case runs && j.Account == "B":
				continue
			case runs:
				ran++
				j.State, j.On, j.Start, j.Attained = policy.Running, plan.Decisions[i].On, s.Now.Add(-time.Minute), j.Attained+60
			default:
				j.State, j.On, j.Start = policy.Pending, nil, time.Time{}
			}
			left = append(left, j)
		}
		s.Jobs = left
	}
	if ran < 33 || ran > 67 {
		t.Errorf("A ran for %d of 100 minutes, want a third to two thirds", ran)
	}
}

// TestGandivaFairHoldsLess: a job that holds fewer GPUs than it asks has no turn on
// a type that has not as many as it asks.
func TestGandivaFairHoldsLess(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}}},
		Jobs: []policy.Job{{ID: 1, User: "u", Account: "a", Partition: "p", State: policy.Running, Arrive: policytest.SnapshotTime.Add(-time.Hour), Start: policytest.SnapshotTime.Add(-time.Hour),
			Ask: policy.Ask{GPUs: policy.GPUs{Count: 8}}, On: policy.Alloc{{Node: "removed", Type: "t4", Count: 1}}}}}
	plan, err := policytest.NewPolicy(t, gandivafair.System().New, nil).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if d := plan.Decisions[0]; d.Verb != policy.Keep {
		t.Errorf("a job of 8 GPUs on one is to %s on %v, want keep", d.Verb, d.On)
	}
}
