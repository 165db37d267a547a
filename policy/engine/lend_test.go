package engine_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/preempt"
)

// lending is a node of 8 GPUs that opportunistic jobs hold, and jobs that wait, each with so many GPUs; opportunistic
// those whose number is negative.
func lending(recall time.Duration, running []int, waiting ...int) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, RecallWithin: recall, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}}
	for i, n := range append(running, waiting...) {
		j := policy.Job{ID: policy.JobID(i + 1), Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Hour).Add(time.Duration(i) * time.Second), Sharing: &policy.Sharing{IsOpportunistic: n < 0}}
		n = max(n, -n)
		j.Ask.GPUs = policy.GPUs{Type: "a100", Count: n}
		if i < len(running) {
			j.State, j.Start, j.On = policy.Running, now.Add(-time.Minute), policy.Alloc{{Node: "n1", Type: "a100", Count: n}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestLending: what runs on what others leave gives way under every pipeline, however short it ran, and never to its like.
func TestLending(t *testing.T) {
	byQOS := engine.Pipeline{Backfill: backfill.Greedy{}, Preempt: preempt.ByQOS("urgent")}
	for name, c := range map[string]struct {
		s    *policy.Snapshot
		p    engine.Pipeline
		kept int // job that may not be stopped; 0: none
		want string
	}{
		"called back":                     {s: lending(time.Minute, []int{-8}, 8), want: "stop start"},
		"where others are stopped, too":   {s: lending(time.Minute, []int{-8}, 8), p: byQOS, want: "stop start"},
		"only what is needed":             {s: lending(time.Minute, []int{-4, -4}, 4), want: "keep stop start"},
		"not those of others":             {s: lending(time.Minute, []int{4, -4}, 4), want: "keep stop start"},
		"not for their like":              {s: lending(time.Minute, []int{-8}, -8), want: "keep wait"},
		"not where it may not be stopped": {s: lending(time.Minute, []int{-8}, 8), kept: 1, want: "keep wait"},
		"not in vain":                     {s: lending(time.Minute, []int{4, -4}, 8), want: "keep keep wait"},
		"nothing is lent":                 {s: lending(0, []int{-8}, 8), want: "keep wait"},
		"last in line":                    {s: lending(time.Minute, nil, -8, 8), want: "wait start"},
		"in line where nothing is lent":   {s: lending(0, nil, -8, 8), want: "start wait"},
		"what is left":                    {s: lending(time.Minute, nil, -4, 4), want: "start start"},
		"counts to no quota":              {s: lending(time.Minute, []int{-4}, 4), p: engine.Pipeline{Admit: quota{fallback: 4}}, want: "keep start"},
		"counts where nothing is lent":    {s: lending(0, []int{-4}, 4), p: engine.Pipeline{Admit: quota{fallback: 4}}, want: "keep hold"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.kept > 0 {
				c.s.Jobs[c.kept-1].UnstoppableReason = "its owner did not opt in"
			}
			if got := verbs(t, c.p, c.s); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	plan, err := engine.Pipeline{}.Decide(lending(5*time.Minute, []int{-8}, 8))
	if err != nil || plan.Decisions[0].StoppedFor != 2 || !strings.Contains(plan.Decisions[0].Why, "is called back from") || !strings.Contains(plan.Decisions[0].Why, "within 5m") {
		t.Errorf("%+v, %v", plan, err)
	}
}
