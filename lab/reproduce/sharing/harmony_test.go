package sharing

import (
	"maps"
	"slices"
	"testing"

	"fairbridge/lab/train/harmonyrl"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/harmony"
	"fairbridge/replica/measure"
)

// harmonyWarmUp is how many jobs come first, which do not count.
const harmonyWarmUp = 60

// harmonyRun is the mean completion time of the others, with costs that are learnt or, for oracle, known.
func harmonyRun(t *testing.T, seed int64, load float64, name string, oracle bool, params paper.Params) float64 {
	t.Helper()
	w := harmonyrl.ReproducedWorkload
	w.Load = load
	c := w.Draw(seed)
	c.Policy = system(t, name, params)
	if oracle {
		c.Policy = harmony.WithTrueCosts(c.Policy, harmonyrl.Truth(seed).ClassCost)
	}
	run := simulate(t, c)
	return meanAfter(run, harmonyWarmUp)
}

func meanAfter(r *measure.Run, first int) float64 {
	sum := 0.0
	for _, o := range r.JobOutcomes[first:] {
		sum += o.Finish - o.Arrive
	}
	return sum / float64(len(r.JobOutcomes)-first)
}

// harmonyStatic are the mean completion times of the fixed placement with the least median, of best fit, worst fit and
// by chance, with jobs in an order.
func harmonyStatic(t *testing.T, seeds int64, load float64, orders ...paper.Params) []float64 {
	t.Helper()
	var best []float64
	for _, order := range orders {
		for _, placement := range []string{"best_fit", "worst_fit", "random"} {
			params := maps.Clone(order)
			params["placement"] = placement
			if all := harmonyMeans(t, seeds, load, "harmony", false, params); best == nil || median(all) < median(best) {
				best = all
			}
		}
	}
	return best
}

func harmonyMeans(t *testing.T, seeds int64, load float64, name string, oracle bool, params paper.Params) (all []float64) {
	t.Helper()
	for seed := int64(1); seed <= seeds; seed++ {
		all = append(all, harmonyRun(t, seed, load, name, oracle, params))
	}
	return all
}

// TestReproduceHarmony: fixed placements of jobs by arrival against Harmony, which begins without knowing anything of who costs whom how
// much. Most of what it gains comes from which jobs it lets start, by their rewards: with its own order of jobs
// fixed placements are nearly as good, and so is it with the true costs from the beginning.
func TestReproduceHarmony(t *testing.T) {
	byArrival := []paper.Params{{"order": "arrival", "backfill": "none"}, {"order": "arrival", "backfill": "greedy"}}
	seedsByLoad := map[float64]int64{.5: 5, .6: 9, .7: 5}
	for _, load := range slices.Sorted(maps.Keys(seedsByLoad)) {
		seeds := seedsByLoad[load]
		static, same := harmonyStatic(t, seeds, load, byArrival...), harmonyStatic(t, seeds, load, paper.Params{"order": "reward"})
		learnt, known := harmonyMeans(t, seeds, load, "harmony", false, nil), harmonyMeans(t, seeds, load, "harmony", true, nil)
		figures := map[string][]float64{
			"best static by arrival":   ratios(static, learnt),
			"best static in its order": ratios(same, learnt),
			"the same, costs known":    ratios(same, known),
			"multifactor":              ratios(harmonyMeans(t, seeds, load, "multifactor", false, nil), learnt),
			"fifo":                     ratios(harmonyMeans(t, seeds, load, "fifo", false, nil), learnt),
			"sjf by service":           ratios(harmonyMeans(t, seeds, load, "sjf", false, paper.Params{"by": "service"}), learnt),
			"where by arrival":         ratios(static, harmonyMeans(t, seeds, load, "harmony", false, paper.Params{"order": "arrival", "backfill": "none", "weight": "gpus"})),
			"part of the gain by arrival that knowing costs has": {(median(static) - median(learnt)) / (median(static) - median(known))},
		}
		least := map[string]float64{}
		if load == .6 {
			least = map[string]float64{"best static by arrival": 1.1, "part of the gain by arrival that knowing costs has": .8}
		}
		for _, name := range slices.Sorted(maps.Keys(figures)) {
			m, lo, hi := spread(figures[name])
			t.Logf("load %g, %s: %.3f (%.3f to %.3f)", load, name, m, lo, hi)
			if m < least[name] {
				t.Errorf("load %g, %s: %.3f, want at least %g", load, name, m, least[name])
			}
		}
	}
}

// ratios are those of values seed by seed.
func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}
