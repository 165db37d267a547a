package policytest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
)

// RunQuanta lets jobs that never end share GPUs of one type for some quanta of a
// minute, and says who ran in each: "A", "A B".
func RunQuanta(t *testing.T, p policy.Policy, gpus, quanta int, jobs map[string]int, tickets map[string]float64) []string {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: gpus}}}}}
	for i, name := range slices.Sorted(maps.Keys(jobs)) {
		s.Accounts = append(s.Accounts, policy.Account{Name: name, Weight: tickets[name]})
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), Name: name, User: name, Account: name, Partition: "p", State: policy.Pending,
			Arrive: now.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: jobs[name]}}})
	}
	var out []string
	for range quanta {
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatal(err)
		}
		var ran []string
		s.Now = s.Now.Add(time.Minute)
		for i, d := range plan.Decisions {
			j := &s.Jobs[i]
			switch d.Verb {
			case policy.Start:
				j.State, j.On, j.Start = policy.Running, d.On, s.Now.Add(-time.Minute)
			case policy.Stop:
				j.State, j.On, j.Start = policy.Pending, nil, time.Time{}
			}
			if j.HoldsGPUs() {
				j.Attained += policy.GPUSeconds(60 * j.Ask.GPUs.Count)
				ran = append(ran, j.Name)
			}
		}
		s.Memo = plan.Memo
		out = append(out, strings.Join(ran, ""))
	}
	return out
}
