package reproduce

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairbridge/policy/solve/fair"
)

// fastest returns the division of one unit of two resources with the largest
// sum of speeds, by the prices at which all of both is used.
func fastest(t *testing.T, alpha [][]float64) [][]float64 {
	t.Helper()
	price, x := []float64{1, 1}, make([][]float64, len(alpha))
	for range 2000 {
		used := []float64{0, 0}
		for i, a := range alpha {
			u := math.Pow(math.Pow(a[0]/price[0], a[0])*math.Pow(a[1]/price[1], a[1]), 1/(1-a[0]-a[1]))
			x[i] = []float64{a[0] * u / price[0], a[1] * u / price[1]}
			used[0], used[1] = used[0]+x[i][0], used[1]+x[i][1]
		}
		if math.Abs(used[0]-1)+math.Abs(used[1]-1) < 1e-9 {
			return x
		}
		price[0], price[1] = price[0]*math.Pow(used[0], .2), price[1]*math.Pow(used[1], .2)
	}
	t.Fatal("the prices do not settle")
	return nil
}

// TestReproduceREF divides GPUs and cores among 40 jobs, speeds normalised to
// having everything: nobody prefers an equal part, and the sum of speeds is
// within 10 % of the largest there is, which gives some jobs less than an equal
// part does. Jobs gain less from the second half of the resources than from the
// first.
func TestReproduceREF(t *testing.T) {
	var parts []float64
	for seed := range uint64(7) {
		parts = append(parts, refPart(t, rand.New(rand.NewPCG(seed, 2))))
	}
	t.Logf("REF reaches %.3f of the largest sum", parts)
	if m := median(parts); m < .9 {
		t.Errorf("REF reaches %.3f of the largest sum, want at least .9", m)
	}
}

// refPart is the sum of speeds of one draw as a part of the largest.
func refPart(t *testing.T, rng *rand.Rand) float64 {
	t.Helper()
	const n = 40
	alpha, weight := make([][]float64, n), make([]float64, n)
	for i := range alpha {
		alpha[i], weight[i] = []float64{.2 + .4*rng.Float64(), .05 + .25*rng.Float64()}, 1
	}
	speeds := func(x [][]float64) (sum float64, each []float64) {
		for i := range x {
			u := math.Pow(x[i][0], alpha[i][0]) * math.Pow(x[i][1], alpha[i][1])
			sum, each = sum+u, append(each, u)
		}
		return sum, each
	}
	fair, each := speeds(fair.DivideByElasticities(weight, alpha, []float64{1, 1}))
	most, alone := speeds(fastest(t, alpha))
	losers := 0
	for i := range each {
		equal := math.Pow(1./n, alpha[i][0]+alpha[i][1])
		if each[i] < equal*(1-1e-9) {
			t.Errorf("job %d prefers an equal part: %g over %g", i, equal, each[i])
		}
		if alone[i] < equal {
			losers++
		}
	}
	if losers == 0 {
		t.Error("the largest sum denies nobody an equal part")
	}
	return fair / most
}
