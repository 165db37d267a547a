package sharing

import (
	"maps"
	"slices"
	"testing"

	"fairbridge/policy/paper"
)

// TestReproduceHarmonyRL: on the workloads of TestReproduceHarmony, of which it learnt none, the network of the shipped weights places jobs
// so that they take no longer in the median than by its teacher, harmony's search, from the load on that it learnt at; below it a little
// longer. Bounded to placements of which nearly as much is predicted it gains nothing: that, and how it does beside others, is told.
func TestReproduceHarmonyRL(t *testing.T) {
	seedsByLoad := map[float64]int64{.5: 30, .6: 60, .7: 30}
	for _, load := range slices.Sorted(maps.Keys(seedsByLoad)) {
		seeds := seedsByLoad[load]
		network := harmonyMeans(t, seeds, load, "harmony-rl", false, nil)
		search := harmonyMeans(t, seeds, load, "harmony-rl", false, paper.Params{"by": "search"})
		figures := map[string][]float64{
			"search":                      ratios(search, network),
			"search / bounded to a tenth": ratios(search, harmonyMeans(t, seeds, load, "harmony-rl", false, paper.Params{"max_difference": .1})),
			"best fit in its order":       ratios(harmonyMeans(t, seeds, load, "harmony", false, paper.Params{"placement": "best_fit"}), network),
			"search, costs known":         ratios(harmonyMeans(t, seeds, load, "harmony", true, nil), network),
			"multifactor":                 ratios(harmonyMeans(t, seeds, load, "multifactor", false, nil), network),
		}
		for _, name := range slices.Sorted(maps.Keys(figures)) {
			m, lo, hi := spread(figures[name])
			t.Logf("load %g, %s: %.3f (%.3f to %.3f)", load, name, m, lo, hi)
		}
		least := map[float64]float64{.5: .97, .6: 1, .7: 1}[load]
		if m := median(figures["search"]); m < least {
			t.Errorf("load %g: by the search jobs take %.3f of the time by the network, want %g at least", load, m, least)
		}
	}
}
