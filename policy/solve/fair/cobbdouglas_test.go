package fair_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/policy/solve/fair"
)

func TestCobbDouglas(t *testing.T) {
	for name, c := range map[string]struct {
		weight   []float64
		alpha    [][]float64
		capacity []float64
		want     [][]float64
	}{
		"the paper's":                    {equalWeights(2), [][]float64{{.6, .4}, {.2, .8}}, []float64{24, 12}, [][]float64{{18, 4}, {6, 8}}},
		"GPUs and cores":                 {equalWeights(2), [][]float64{{.75, .25}, {.25, .75}}, []float64{8, 64}, [][]float64{{6, 16}, {2, 48}}},
		"weighted":                       {[]float64{2, 1}, [][]float64{{.75, .25}, {.25, .75}}, []float64{8, 64}, [][]float64{{8 * 1.5 / 1.75, 25.6}, {8 * .25 / 1.75, 38.4}}},
		"only sums count":                {equalWeights(2), [][]float64{{7.5, 2.5}, {.25, .75}}, []float64{8, 64}, [][]float64{{6, 16}, {2, 48}}},
		"one resource is an equal split": {equalWeights(4), [][]float64{{1}, {1}, {1}, {1}}, []float64{8}, [][]float64{{2}, {2}, {2}, {2}}},
		"nobody needs it":                {equalWeights(1), [][]float64{{0, 0}}, []float64{8, 8}, [][]float64{{0, 0}}},
	} {
		if d := cmp.Diff(c.want, fair.DivideByElasticities(c.weight, c.alpha, c.capacity), cmpopts.EquateApprox(0, 1e-9)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// utility is a Cobb-Douglas function.
func utility(x, alpha []float64) float64 {
	u := 1.0
	for r := range x {
		u *= math.Pow(x[r], alpha[r])
	}
	return u
}

// TestCobbDouglasIsFair checks sharing incentives (nobody prefers an equal
// part), envy-freeness, and Pareto optimality by marginal rates of substitution
// that are the same for everybody.
func TestCobbDouglasIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, capacity := 1+rng.IntN(8), []float64{1 + 99*rng.Float64(), 1 + 99*rng.Float64(), 5}
		alpha := make([][]float64, n)
		for i := range alpha {
			alpha[i] = []float64{.05 + rng.Float64(), .05 + rng.Float64(), .05 + rng.Float64()}
		}
		got := fair.DivideByElasticities(equalWeights(n), alpha, capacity)
		for i, a := range alpha {
			mine, equal := utility(got[i], a), []float64{capacity[0] / float64(n), capacity[1] / float64(n), capacity[2] / float64(n)}
			if u := utility(equal, a); mine < u*(1-1e-9) {
				t.Fatalf("user %d prefers an equal part: %g over %g", i, u, mine)
			}
			for j := range got {
				if u := utility(got[j], a); mine < u*(1-1e-9) {
					t.Fatalf("user %d envies %d: %g over %g", i, j, u, mine)
				}
			}
			for r := 1; r < len(capacity); r++ {
				rate := a[0] * got[i][r] / (a[r] * got[i][0])
				first := alpha[0][0] * got[0][r] / (alpha[0][r] * got[0][0])
				if math.Abs(rate/first-1) > 1e-9 {
					t.Fatalf("users 0 and %d would trade resource %d: %g, %g", i, r, rate, first)
				}
			}
		}
	}
}

func TestElasticities(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		want := []float64{rng.Float64(), rng.Float64()}
		scale := math.Exp(rng.NormFloat64() * 5)
		var profiles []fair.SpeedProfile
		for range 12 {
			x := []float64{float64(1 + rng.IntN(16)), float64(1 + rng.IntN(64))}
			profiles = append(profiles, fair.SpeedProfile{Amounts: x, Speed: scale * utility(x, want)})
		}
		got, ok := fair.Elasticities(profiles, 2)
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, .01)); !ok || d != "" {
			t.Fatalf("%v: %s", ok, d)
		}
	}
	point := func(g, c, v float64) fair.SpeedProfile { return fair.SpeedProfile{Amounts: []float64{g, c}, Speed: v} }
	for name, c := range map[string]struct {
		profiles []fair.SpeedProfile
		want     []float64
		ok       bool
	}{
		"too few":          {[]fair.SpeedProfile{point(1, 1, 1), point(2, 2, 2)}, nil, false},
		"all the same":     {[]fair.SpeedProfile{point(2, 8, 3), point(2, 8, 3), point(2, 8, 3)}, []float64{0, 0}, false},
		"cores never vary": {[]fair.SpeedProfile{point(1, 8, 1), point(2, 8, 2), point(4, 8, 4)}, []float64{1, 0}, true},
		"more cores hurt":  {[]fair.SpeedProfile{point(1, 4, 1), point(4, 4, 4), point(1, 16, .5), point(4, 16, 2)}, []float64{1, 0}, true},
	} {
		got, ok := fair.Elasticities(c.profiles, 2)
		if d := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, .01)); ok != c.ok || d != "" {
			t.Errorf("%s: %v %s", name, ok, d)
		}
	}
}

func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		share       []float64
		least, most []int
		total       int
		want        []int
	}{
		"largest remainders":   {[]float64{2.5, 3.2, 2.3}, []int{1, 1, 1}, []int{9, 9, 9}, 8, []int{3, 3, 2}},
		"least":                {[]float64{.1, 7.9}, []int{2, 1}, []int{9, 9}, 8, []int{2, 6}},
		"most":                 {[]float64{6, 2}, []int{1, 1}, []int{3, 9}, 8, []int{3, 5}},
		"nobody can have more": {[]float64{6, 2}, []int{1, 1}, []int{3, 3}, 8, []int{3, 3}},
		"nobody can have less": {[]float64{1, 1}, []int{3, 3}, []int{5, 5}, 2, []int{3, 3}},
		"the first of equals":  {[]float64{1.5, 1.5}, []int{1, 1}, []int{5, 5}, 3, []int{2, 1}},
		"nobody":               {nil, nil, nil, 4, []int{}},
	} {
		if got := fair.RoundSharesToWhole(c.share, c.least, c.most, c.total); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// equalWeights returns n equal weights.
func equalWeights(n int) []float64 { return slices.Repeat([]float64{1}, n) }
