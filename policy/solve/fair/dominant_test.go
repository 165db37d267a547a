package fair

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDominantShares(t *testing.T) {
	many := 1000.0
	for _, c := range []struct {
		name  string
		users []Demand
		want  []float64
	}{
		{"the paper's example: 9 CPUs, 18 GB", []Demand{
			{1, []float64{many * 1 / 9, many * 4 / 18}}, {1, []float64{many * 3 / 9, many * 1 / 18}}},
			[]float64{2. / 3, 2. / 3}},
		{"8 GPUs, 64 CPUs", []Demand{
			{1, []float64{many / 8, many * 4 / 64}}, {1, []float64{many / 8, many * 12 / 64}}},
			[]float64{0.6, 0.6}},
		{"weights 2:1", []Demand{{2, []float64{5}}, {1, []float64{5}}}, []float64{2. / 3, 1. / 3}},
		{"a modest user", []Demand{{1, []float64{0.1}}, {1, []float64{5}}}, []float64{0.1, 0.9}},
		{"different resources", []Demand{{1, []float64{5, 0}}, {1, []float64{0, 5}}}, []float64{1, 1}},
		{"nothing asked, no weight", []Demand{{1, []float64{0}}, {0, []float64{1}}, {math.NaN(), []float64{1}}}, []float64{0, 0, 0}},
		{"nobody", nil, []float64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, DominantShares(c.users), approx); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestDominantSharesIsMaxMin checks the property that defines the one max-min
// point: whoever lacks something needs an exhausted resource on which nobody
// stands higher.
func TestDominantSharesIsMaxMin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const resources = 3
		users := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Demand {
			d := Demand{Weight: rapid.Float64Range(0.5, 4).Draw(t, "weight")}
			for range resources {
				d.NeedByResource = append(d.NeedByResource, rapid.SampledFrom([]float64{0, 0.1, 0.25, 0.5, 1, 3}).Draw(t, "need"))
			}
			return d
		}), 1, 8).Draw(t, "users")
		checkMaxMin(t, users, DominantShares(users), resources)
	})
}

func checkMaxMin(t *rapid.T, users []Demand, share []float64, resources int) {
	const eps = 1e-9
	used := make([]float64, resources)
	for i, u := range users {
		if dom := DominantShare(u.NeedByResource); dom > 0 {
			for r, n := range u.NeedByResource {
				used[r] += share[i] * n / dom
			}
		}
	}
	for r, u := range used {
		if u > 1+eps {
			t.Fatalf("resource %d is used %g times", r, u)
		}
	}
	for i, u := range users {
		if share[i] < DominantShare(u.NeedByResource)-eps && !bottleneck(users, share, used, i) {
			t.Fatalf("user %d could have more than %g: shares %v, used %v", i, share[i], share, used)
		}
	}
}

func bottleneck(users []Demand, share, used []float64, i int) bool {
	const eps = 1e-9
	for r := range used {
		if users[i].NeedByResource[r] <= 0 || used[r] < 1-eps {
			continue
		}
		highest := true
		for k, u := range users {
			if u.NeedByResource[r] > 0 && share[k]/u.Weight > share[i]/users[i].Weight+eps {
				highest = false
			}
		}
		if highest {
			return true
		}
	}
	return false
}
