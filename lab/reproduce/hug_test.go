package reproduce

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/solve/fair"
)

// hugDemands are three accounts with mixes of two GPU types, of which the first
// is scarce, and jobs without end in those proportions.
func hugDemands(seed int64) (s *policy.Snapshot, tenants []fair.Tenant) {
	const each = 48
	rng := rand.New(rand.NewPCG(uint64(seed), 3))
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s = &policy.Snapshot{Now: now, Nodes: append(cluster(6, 8, "g"), cluster(6, 8, "h")...)}
	for i := range s.Nodes {
		s.Nodes[i].Name = fmt.Sprintf("n%02d", i)
		s.Nodes[i].CPUs, s.Nodes[i].MemMB = 0, 0
	}
	for a := range 3 {
		name, h := fmt.Sprintf("account%d", a), .2+.6*rng.Float64()
		for _, want := range []struct {
			typ   string
			count float64
		}{{"g", 3 * each}, {"h", 3 * each * h}} {
			for range int(want.count) {
				id := policy.JobID(len(s.Jobs) + 1)
				s.Jobs = append(s.Jobs, policy.Job{ID: id, User: name, Account: name, Partition: "gpu", State: policy.Pending,
					Arrive: now.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: want.typ, Count: 1}}})
			}
		}
		tenants = append(tenants, fair.Tenant{Weight: 1, ResourceMix: []float64{3 * each, float64(int(3 * each * h))}})
	}
	return s, tenants
}

// TestReproduceHUG compares with dominant resource fairness as the paper means
// it, where everybody gets resources in the proportions of its mix: the least
// progress is the same, and at least 10 points more of the second type are used.
// The plan keeps both, but for one job.
func TestReproduceHUG(t *testing.T) {
	const each = 48
	gain := over(7, func(seed int64) float64 {
		s, tenants := hugDemands(seed)
		demands := make([]fair.Demand, len(tenants))
		for i, x := range tenants {
			demands[i] = fair.Demand{Weight: 1, NeedByResource: []float64{100, 100 * x.ResourceMix[1] / x.ResourceMix[0]}}
		}
		shares, used, filled := fair.DominantShares(demands), 0.0, 0.0
		guarantees := fair.DivideByHUG(tenants, true)
		for i, g := range guarantees {
			if d := g.Progress - shares[i]; d > 1e-9 || d < -1e-9 {
				t.Errorf("seed %d: progress %g, under DRF %g", seed, g.Progress, shares[i])
			}
			used += shares[i] * demands[i].NeedByResource[1] / demands[i].NeedByResource[0]
			filled += g.CapByResource[1]
		}
		plan, err := system(t, "hug", nil).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		runs := map[string]float64{}
		for _, d := range plan.Decisions {
			if j := s.Job(d.Job); d.Verb == policy.Start {
				runs[j.Account+j.Ask.GPUs.Type]++
				runs[j.Ask.GPUs.Type]++
			}
		}
		for i, g := range guarantees {
			for r, typ := range []string{"g", "h"} {
				if n := runs[fmt.Sprintf("account%d%s", i, typ)]; n < g.FloorByResource[r]*each-1 {
					t.Errorf("seed %d: account %d runs %g of %s, guaranteed are %g", seed, i, n, typ, g.FloorByResource[r]*each)
				}
			}
		}
		if runs["g"] != each || runs["h"] < filled*each-1 {
			t.Errorf("seed %d: %v run, want %d and %g", seed, runs, each, filled*each)
		}
		return runs["h"]/each - used
	})
	t.Logf("utilisation of the second type is %.2f higher", gain)
	if gain < .1 {
		t.Errorf("utilisation of the second type rises by %.3f, want at least .1", gain)
	}
}
