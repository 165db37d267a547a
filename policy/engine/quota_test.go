package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/preempt"
)

// quota is an Admitter that refuses jobs that would take their account above its cap of whole GPUs
// held at one time.
type quota struct {
	caps     map[string]float64 // by account
	fallback float64            // for accounts without a cap of their own; 0: no limit
}

func (q quota) Admit(r *engine.Round, e *engine.Entry) error {
	limit, listed := q.caps[e.Account]
	if !listed && q.fallback <= 0 {
		return nil
	}
	if !listed {
		limit = q.fallback
	}
	holds, asks := r.AccountGPUs(e.Account), e.Ask.GPUs.WholeGPUs()
	if holds+asks <= limit {
		return nil
	}
	return fmt.Errorf("account %s holds %g of its %g GPUs, and the job asks %g more", e.Account, holds, limit, asks)
}

func quotaSnapshot(pending ...int) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 16}}}}}
	s.Jobs = []policy.Job{{ID: 1, Account: "a", Partition: "p", State: policy.Running, Start: now.Add(-time.Hour), Arrive: now,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 2}}, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 2}}}}
	for i, n := range pending {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 2), Account: "a", QOS: "urgent", Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Hour),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: n}}})
	}
	return s
}

func verbs(t *testing.T, p engine.Pipeline, s *policy.Snapshot) string {
	t.Helper()
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	var v []string
	for _, d := range plan.Decisions {
		v = append(v, string(d.Verb))
	}
	return strings.Join(v, " ")
}

func TestQuota(t *testing.T) {
	caps := func(n float64) quota { return quota{caps: map[string]float64{"a": n}} }
	for _, c := range []struct {
		name    string
		q       quota
		pending []int
		want    string
	}{
		{"no cap", quota{}, []int{4, 4}, "keep start start"},
		{"what runs counts", caps(5), []int{4}, "keep hold"},
		{"up to the cap", caps(6), []int{4}, "keep start"},
		{"what was started before counts", caps(9), []int{4, 4, 3}, "keep start hold start"},
		{"default", quota{fallback: 6}, []int{4, 1}, "keep start hold"},
		{"a cap of its own before the default", quota{fallback: 100, caps: map[string]float64{"a": 0}}, []int{1}, "keep hold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := verbs(t, engine.Pipeline{Admit: c.q, Backfill: backfill.Greedy{}}, quotaSnapshot(c.pending...)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestQuotaCountsPartsOfGPUs(t *testing.T) {
	s := quotaSnapshot(2)
	s.Nodes[0].GPUs = append(s.Nodes[0].GPUs, policy.NodeDevices{Type: "shard", Count: 4, PartPercent: 25})
	s.Jobs[1].Ask.GPUs = policy.GPUs{Type: "shard", Count: 2, PartPercent: 25}
	for limit, want := range map[float64]string{2.4: "keep hold", 2.5: "keep start"} {
		if got := verbs(t, engine.Pipeline{Admit: quota{fallback: limit}}, s); got != want {
			t.Errorf("cap %g: got %s, want %s", limit, got, want)
		}
	}
}

// TestRefusalStands wants a job that was refused when the round began to stay
// out of it, though a stop makes room under the cap: it enters the next one.
func TestRefusalStands(t *testing.T) {
	s := quotaSnapshot(16, 1)
	s.Jobs[1].Account = "b"
	s.Jobs[2].Arrive = now.Add(time.Minute)
	s.Jobs[2].Ask.GPUs.Type = "t4"
	s.Nodes[0].GPUs = append(s.Nodes[0].GPUs, policy.NodeDevices{Type: "t4", Count: 1})
	p := engine.Pipeline{Preempt: preempt.ByQOS("urgent"), Admit: quota{caps: map[string]float64{"a": 1}, fallback: 99}}
	if got := verbs(t, p, s); got != "stop start hold" {
		t.Errorf("got %s; the first answer of Admit stands", got)
	}
}
