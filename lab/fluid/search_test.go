package fluid_test

import (
	"reflect"
	"testing"

	"fairbridge/lab/fluid"
	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// TestSearch tries settings on applications of three kinds, and wants the default of policy pcs
// to be the choice: the least 99 % error of predictions, on the kind where it is greatest, of
// those whose completion time is within 5 % of SRSF's on every kind. In the short form a few
// neighbours of the default are tried.
func TestSearch(t *testing.T) {
	grid := fluid.SearchGrid{Loads: [][]float64{{.02}, {.08}, {.3}}, Shares: [][]float64{{.5}, {.9}}, Clips: []float64{.5}}
	if part.Runs("studies") {
		grid = fluid.DefaultGrid()
	}
	var kinds [][]fluid.Settings
	for _, services := range []appServices{evenByLogarithm, even, logNormal} {
		var workloads [][]workload.Job
		for seed := int64(1); seed <= 5; seed++ {
			workloads = append(workloads, drawApps(services, seed))
		}
		tried, err := (&fluid.Search{GPUs: 64, Workloads: workloads, Grid: grid, Parallel: 2}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		front := fluid.Front(tried)
		if len(front) == 0 || len(front) > len(tried) || front[0].JCTOverSRSF != tried[0].JCTOverSRSF {
			t.Errorf("a front of %d of %d settings", len(front), len(tried))
		}
		for _, s := range front {
			t.Logf("%s: %v: %.3f × SRSF, errors %.2f %%, 99 %%: %.1f %%", services, s.Params, s.JCTOverSRSF, 100*s.MeanError, 100*s.P99Error)
		}
		kinds = append(kinds, tried)
	}
	want := paper.Params{"load": []float64{.08}, "shares": []float64{.9}, "clip": .5}
	if best, ok := fluid.MostPredictable(kinds, 1.05); !ok || !reflect.DeepEqual(best, want) {
		t.Errorf("the search chooses %v, the default is %v", best, want)
	}
	if _, ok := fluid.MostPredictable(kinds, .1); ok {
		t.Error("no setting is ten times as fast as SRSF")
	}
}
