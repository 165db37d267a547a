package startscore

import (
	"os"
	"testing"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/trace"
)

// phillyTrace is Microsoft's Philly as a table.
const phillyTrace = "../../../../shared/traces/philly/philly_jobs_82k.csv"

// readPhilly reads the jobs that fit 64 GPUs; without the trace the test is left out.
func readPhilly(t *testing.T) *study.Scenario {
	t.Helper()
	if _, err := os.Stat(phillyTrace); err != nil {
		t.Skip("the published traces are not here:", err)
	}
	nodes, err := cluster.ParseSpec("8x8")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := study.LoadScenario(study.ScenarioSource{TracePath: phillyTrace, TraceOptions: trace.ReadOptions{SkipBad: true}, Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

// TestPromisesOnPhilly is TestPromisesAreCalibrated on windows of 600 jobs of a real trace, which tells no names and no time limits. Chances are of use there (a quarter
// is the score of always saying one half, a fifth was wanted), and what is told more is met more often, but fifths are off by more than ten points: the page of figures has six windows.
func TestPromisesOnPhilly(t *testing.T) {
	seeds := int64(2)
	if testing.Short() {
		seeds = 1
	}
	whole := readPhilly(t)
	for _, load := range []float64{.8, 1} {
		var all []Promise
		for seed := int64(1); seed <= seeds; seed++ {
			w, err := whole.TakeWindow(600, seed)
			if err != nil {
				t.Fatal(err)
			}
			s, err := w.ScaleToLoad(load)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, promisesOf(t, s, "by-deadline", seed)...)
		}
		s := ScorePromises(all)
		t.Logf("load %v: %+v", load, s)
		if s.Brier > .2 || s.Count < 100 || s.Bins[4].MetShare < s.Bins[3].MetShare || s.Bins[3].MetShare < s.Bins[0].MetShare {
			t.Errorf("load %v: Brier %.3f of %d promises, met by fifths of what was told %+v", load, s.Brier, s.Count, s.Bins)
		}
	}
}
