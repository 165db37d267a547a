package gandiva_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/gandiva"
)

// TestGandivaTurns: six jobs of one GPU on four, twelve turns: eight each.
func TestGandivaTurns(t *testing.T) {
	jobs := map[string]int{"A": 1, "B": 1, "C": 1, "D": 1, "E": 1, "F": 1}
	all := strings.Join(policytest.RunQuanta(t, policytest.NewPolicy(t, gandiva.System().New, paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"}), 4, 12, jobs, nil), "")
	for name := range jobs {
		if n := strings.Count(all, name); n != 8 {
			t.Errorf("%s had %d of 12 turns, want 8", name, n)
		}
	}
}

// TestGandivaServers: a server that hosts gangs of four, one that hosts nobody.
// A gang of two opens the empty one; the next of four goes to its like.
func TestGandivaServers(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now}
	for _, name := range []string{"s1", "s2"} {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: 8}}})
	}
	for i, gpus := range []int{4, 2, 4} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending,
			Arrive: now.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: gpus}}})
	}
	s.Jobs[0].State, s.Jobs[0].Start, s.Jobs[0].On = policy.Running, now, policy.Alloc{{Node: "s1", Type: "v100", Count: 4}}
	plan, err := policytest.NewPolicy(t, gandiva.System().New, nil).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"s1", "s2", "s1"} {
		if d := plan.Decisions[i]; len(d.On) != 1 || d.On[0].Node != want {
			t.Errorf("job %d is to %s on %v, want %s", d.Job, d.Verb, d.On, want)
		}
	}
}

// TestGandivaPairs: two jobs on one GPU, profiled to reach 1.45 together. They
// are put together; whether they stay depends on what is measured.
func TestGandivaPairs(t *testing.T) {
	for _, c := range []struct {
		host, guest float64 // measured, relative to being alone
		want        policy.Verb
	}{{.70, .75, policy.Keep}, {.40, .45, policy.Stop}} {
		t.Run(fmt.Sprint(c.host+c.guest), func(t *testing.T) {
			p := policytest.NewPolicy(t, gandiva.System().New, paper.Params{"min_run": "1s", "window": "1m"})
			s := pairOfJobs()
			plan := mustDecide(t, p, s)
			if d := plan.Decisions[1]; d.Verb != policy.Start || !d.On.Equal(s.Jobs[0].On) {
				t.Fatalf("the guest is to %s on %v", d.Verb, d.On)
			}
			s.Memo = plan.Memo
			s.Jobs[1].State, s.Jobs[1].On, s.Jobs[1].Start = policy.Running, plan.Decisions[1].On, s.Now
			for range 2 { // seen together, then measured
				s.Now = s.Now.Add(2 * time.Minute)
				for i, speed := range []float64{c.host, c.guest} {
					j := &s.Jobs[i]
					report := *j.Training
					report.StepsDone += speed * report.Rates[0].StepsPerSecond * 120
					j.Training, j.Attained = &report, j.Attained+120
				}
				plan = mustDecide(t, p, s)
				s.Memo = plan.Memo
			}
			if d := plan.Decisions[1]; d.Verb != c.want {
				t.Errorf("the guest is to %s: %s", d.Verb, d.Why)
			}
			if c.want == policy.Stop {
				s.Jobs[1].State, s.Jobs[1].On = policy.Pending, nil
				if d := mustDecide(t, p, s).Decisions[1]; d.Verb == policy.Start {
					t.Errorf("tried again: %s", d.Why)
				}
			}
		})
	}
}

// pairOfJobs is one GPU, a job on it and one that waits, each profiled beside
// the other.
func pairOfJobs() *policy.Snapshot {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: 1}}}}}
	for i, speed := range []float64{100, 80} {
		mine, other := string(rune('A'+i)), string(rune('B'-i))
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending,
			Arrive: now.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Shareable: true, Class: mine,
			Training: &policy.Training{Steps: 1e9, Rates: []policy.Rate{{Type: "v100", StepsPerSecond: speed}},
				SharedRates: []policy.SharedRate{{Type: "v100", NeighbourClass: other, StepsPerSecond: speed * []float64{.70, .75}[i]}}}})
	}
	s.Jobs[0].State, s.Jobs[0].Start, s.Jobs[0].On = policy.Running, now.Add(-time.Second), policy.Alloc{{Node: "n1", Type: "v100", Count: 1}}
	return s
}

func mustDecide(t *testing.T, p policy.Policy, s *policy.Snapshot) *policy.Plan {
	t.Helper()
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan
}
