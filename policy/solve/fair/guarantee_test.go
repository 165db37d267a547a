package fair_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/policy/solve/fair"
)

func tenants(mixes ...[]float64) []fair.Tenant {
	var all []fair.Tenant
	for _, m := range mixes {
		all = append(all, fair.Tenant{Weight: 1, ResourceMix: m})
	}
	return all
}

func caps(gs []fair.Guarantee) [][]float64 {
	var all [][]float64
	for _, g := range gs {
		all = append(all, g.CapByResource)
	}
	return all
}

func TestGuarantees(t *testing.T) {
	a, b, c := []float64{.5, 1}, []float64{1, 1. / 6}, []float64{1, 0}
	weighted := tenants([]float64{1, 1}, []float64{1, 0})
	weighted[0].Weight = 3
	small := tenants([]float64{1, 1}, []float64{1, 0}, []float64{2, 0})
	small[0].MaxUseByResource = []float64{.1, .1}
	for name, x := range map[string]struct {
		tenants     []fair.Tenant
		cooperative bool
		progress    []float64
		caps        [][]float64
	}{
		"two":                     {tenants(a, b), false, []float64{2. / 3, 2. / 3}, [][]float64{{1. / 3, 2. / 3}, {2. / 3, 1. / 3}}},
		"three":                   {tenants(a, b, c), false, []float64{.4, .4, .4}, [][]float64{{.2, .4}, {.4, .4}, {.4, 0}}},
		"three that cooperate":    {tenants(a, b, c), true, []float64{.4, .4, .4}, [][]float64{{.2, .4 + .8/3}, {.4, 1. / 3}, {.4, 0}}},
		"weights":                 {weighted, false, []float64{.75, .25}, [][]float64{{.75, .75}, {.25, 0}}},
		"who can use little":      {small, true, []float64{.1, .45, .45}, [][]float64{{.1, .1}, {.45, 0}, {.45, 0}}},
		"one resource is max-min": {tenants([]float64{3}, []float64{9}), true, []float64{.5, .5}, [][]float64{{.5}, {.5}}},
		"nobody":                  {tenants([]float64{0, 0}), true, []float64{0}, [][]float64{{0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := fair.DivideByHUG(x.tenants, x.cooperative)
			for i, g := range got {
				if math.Abs(g.Progress-x.progress[i]) > 1e-12 {
					t.Errorf("progress %d is %g, want %g", i, g.Progress, x.progress[i])
				}
			}
			if d := cmp.Diff(x.caps, caps(got), cmpopts.EquateApprox(0, 1e-12)); d != "" {
				t.Error(d)
			}
		})
	}
}

func drawMixes(rng *rand.Rand) []fair.Tenant {
	k, r := 1+rng.IntN(6), 1+rng.IntN(4)
	all := make([]fair.Tenant, k)
	for i := range all {
		all[i] = fair.Tenant{Weight: 1, ResourceMix: make([]float64, r)}
		for j := range all[i].ResourceMix {
			all[i].ResourceMix[j] = max(rng.Float64()*1.3-.3, 0)
		}
		all[i].ResourceMix[rng.IntN(r)] = 1
	}
	return all
}

// TestGuaranteesProperties checks what the paper proves: equal progress, the
// most that is possible; no resource given twice; nobody above its progress if
// they do not cooperate, everything used if they do; and that the guarantees
// are those of DRF as long as everybody needs the scarcest resource.
func TestGuaranteesProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		all := drawMixes(rng)
		want := math.Inf(1)
		scarce := 0
		for r := range all[0].ResourceMix {
			sum := 0.0
			for _, x := range all {
				sum += x.ResourceMix[r]
			}
			if sum > 0 && 1/sum < want {
				want, scarce = 1/sum, r
			}
		}
		for _, cooperative := range []bool{false, true} {
			got := fair.DivideByHUG(all, cooperative)
			for r := range all[0].ResourceMix {
				sum, needed := 0.0, false
				for i, g := range got {
					sum += g.CapByResource[r]
					needed = needed || all[i].ResourceMix[r] > 0
					if math.Abs(g.Progress-want) > 1e-9 || g.CapByResource[r] < g.FloorByResource[r] || !cooperative && g.CapByResource[r] > want+1e-9 {
						t.Fatalf("%+v of %+v, progress %g", g, all[i], want)
					}
				}
				if sum > 1+1e-9 || cooperative && needed && sum < 1-1e-9 {
					t.Fatalf("resource %d: %g given, cooperative %v", r, sum, cooperative)
				}
			}
		}
		everybody := true
		demands := make([]fair.Demand, len(all))
		for i, x := range all {
			everybody = everybody && x.ResourceMix[scarce] > 0
			demands[i] = fair.Demand{Weight: 1, NeedByResource: append([]float64(nil), x.ResourceMix...)}
			for r := range demands[i].NeedByResource {
				demands[i].NeedByResource[r] *= 1000
			}
		}
		if everybody {
			for i, share := range fair.DominantShares(demands) {
				if math.Abs(share-want) > 1e-9 {
					t.Fatalf("tenant %d: DRF gives %g, guaranteed are %g", i, share, want)
				}
			}
		}
	}
}

// TestGuaranteesLiars wants no tenant that does not cooperate to win true
// progress by stating one resource of its mix as more or less than it is.
func TestGuaranteesLiars(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	useful := func(g fair.Guarantee, mix []float64) float64 {
		p := math.Inf(1)
		for r, d := range mix {
			if d > 0 {
				p = min(p, g.CapByResource[r]/d)
			}
		}
		return p
	}
	for range 2000 {
		all := drawMixes(rng)
		truth := all[0].ResourceMix
		honest := useful(fair.DivideByHUG(all, false)[0], truth)
		lie := append([]float64(nil), truth...)
		lie[rng.IntN(len(lie))] *= rng.Float64() * 2
		all[0].ResourceMix = lie
		if won := useful(fair.DivideByHUG(all, false)[0], truth); won > honest+1e-9 {
			t.Fatalf("saying %v instead of %v wins %g over %g, others %+v", lie, truth, won, honest, all[1:])
		}
	}
}
