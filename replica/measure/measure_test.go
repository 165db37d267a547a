package measure

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// four jobs of two accounts on 2 GPUs.
func four() *Run {
	return &Run{
		PolicyName: "p", TraceName: "t", ClusterGPUs: 2, MakespanSeconds: 100, BusyGPUSeconds: 150,
		JobOutcomes: []JobOutcome{
			{ID: 1, Account: "a", Arrive: 0, Finish: 40, ExclusiveRunSeconds: 40, HeldSeconds: 40, Service: 40, MeanJobsPresent: 1},
			{ID: 2, Account: "a", Arrive: 10, Finish: 94, ExclusiveRunSeconds: 40, HeldSeconds: 44, Service: 88, MeanJobsPresent: 3, StopCount: 2, LostService: 8},
			{ID: 3, Account: "b", Arrive: 0, Finish: 86, ExclusiveRunSeconds: 40, HeldSeconds: 40, Service: 40, MeanJobsPresent: 4},
			{ID: 4, Account: "b", Arrive: 0, Finish: 100, ExclusiveRunSeconds: 3, HeldSeconds: 3, Service: 3, MeanJobsPresent: 4, StopCount: 1},
		},
	}
}

func TestSummary(t *testing.T) {
	got := four().Summarize()
	want := Summary{
		Policy: "p", Trace: "t", JobCount: 4, Makespan: 100, AvgJCT: 77.5, MedianJCT: 85, P99JCT: 86 + .97*14,
		AvgQueueSeconds: (0 + 40 + 46 + 97) / 4.0, // completion without run time
		// 4 jobs on 2 GPUs: contention 2.
		WorstRho: 16.66667, MeanRho: (0.5 + 1.05 + 1.075 + 16.66667) / 4, UnfairShare: 0.5,
		WorstPresentRho: 16.66667, MeanPresentRho: (1 + 1.4 + 1.075 + 16.66667) / 4,
		Utilization: 0.75, RestartCount: 3, LostGPUHours: 8.0 / 3600,
		MeanSlowdown: (1 + 2.1 + 2.15 + 10) / 4, WorstAccountSlowdown: (2.15 + 10) / 2, MakespanOverBound: -1, AvgJCTOverBound: -1, MeanPredictionError: -1, P99PredictionError: -1, UnusableShare: -1, MeanBlockedGPUs: -1, // job 4 ran 3 s, and 10 count
	}
	if d := cmp.Diff(want, got, near); d != "" {
		t.Error(d)
	}
}

var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })

func TestRhoPresent(t *testing.T) {
	// Contention 1 (never less), 1.5, 2 and 2.
	if d := cmp.Diff([]float64{1, 1.4, 1.075, 16.66667}, four().RhosByJobsPresent(), near); d != "" {
		t.Error(d)
	}
}

func TestEmptyRun(t *testing.T) {
	s := (&Run{ClusterGPUs: 4}).Summarize()
	if d := cmp.Diff(Summary{MakespanOverBound: -1, AvgJCTOverBound: -1, MeanPredictionError: -1, P99PredictionError: -1, UnusableShare: -1, MeanBlockedGPUs: -1}, s); d != "" {
		t.Error(d)
	}
}

// TestNarrowTablesFitTheJobs: where there is little room, plain jobs are judged by slowdown and
// by ρ of the jobs present, training jobs as in the papers; as many columns either way.
func TestNarrowTablesFitTheJobs(t *testing.T) {
	shown := map[bool]map[string]bool{true: {}, false: {}}
	for _, m := range AllMetrics {
		for plain := range shown {
			if m.IsShownNarrow(plain) {
				shown[plain][m.ColumnHead] = true
			}
		}
	}
	for _, head := range []string{"SLOWDOWN", "WORST ρ'"} {
		if !shown[true][head] || shown[false][head] {
			t.Errorf("%s: of plain jobs %t, of training jobs %t", head, shown[true][head], shown[false][head])
		}
	}
	for _, head := range []string{"UNFAIR", "WORST ρ"} {
		if shown[true][head] || !shown[false][head] {
			t.Errorf("%s: of plain jobs %t, of training jobs %t", head, shown[true][head], shown[false][head])
		}
	}
	if len(shown[true]) != len(shown[false]) {
		t.Errorf("%d columns of plain jobs, %d of training jobs", len(shown[true]), len(shown[false]))
	}
}

// TestPredictions: the error is a part of what was predicted, jobs of which nothing was do not
// count, and where nothing was there are no columns of it.
func TestPredictions(t *testing.T) {
	r := &Run{JobOutcomes: []JobOutcome{{Arrive: 10, PredictedFinish: 110, Finish: 160}, {Arrive: 10, PredictedFinish: 60, Finish: 60}, {Arrive: 10, Finish: 60}}}
	s, none := r.Summarize(), (&Run{JobOutcomes: []JobOutcome{{Finish: 60}}}).Summarize()
	if s.MeanPredictionError != .25 || math.Abs(s.P99PredictionError-.495) > 1e-9 || none.MeanPredictionError != -1 {
		t.Errorf("%g %g, %g", s.MeanPredictionError, s.P99PredictionError, none.MeanPredictionError)
	}
	if with, without := len(ListMetrics([]*Summary{&none, &s})), len(ListMetrics([]*Summary{&none})); with != len(AllMetrics) || without != with-2 {
		t.Errorf("%d and %d columns of %d", with, without, len(AllMetrics))
	}
}
