package window

import (
	"math"
	"testing"
	"time"

	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve/knapsack"
)

// The constants here are those of Shockwave's published scheduler. They are in
// no figure that a coarse test would miss.

// TestTargetIsMostlyTheMean: nine tenths of the mean over time, one of the
// latest estimate.
func TestTargetIsMostlyTheMean(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := FairTime{}.addEstimate(at, 100).addEstimate(at.Add(90*time.Second), 200)
	if got, want := f.weightedMean(at.Add(100*time.Second)), .9*110+.1*200; math.Abs(got-want) > 1e-9 {
		t.Errorf("100 s for 90 s and 200 s for 10 s: %g, want %g", got, want)
	}
	if got := f.weightedMean(at); got != 200 {
		t.Errorf("at once: %g, want the latest, 200", got)
	}
}

// TestLateJobsWeighMore: the weight is a power of how late a job would be, 100
// where it could be done within a round.
func TestLateJobsWeighMore(t *testing.T) {
	job := func(left, rho float64) jobForecast {
		return jobForecast{RemainingWork: predict.RemainingWork{SecondsLeft: left}, fairSeconds: 1000, ageSeconds: 1000*rho - left, longestSecondsLeft: left}
	}
	p := &typePlanner{Settings: &Settings{RoundLength: 2 * time.Minute, LatenessPower: 12, RhoMax: 1, MaxWeight: 1e3},
		typeWithJobs: typeWithJobs{gpuCount: 4, jobs: make([]*engine.Entry, 4)},
		forecasts:    []jobForecast{job(119, 1.01), job(120, 1.01), job(500, .99), job(500, 9)}}
	w := &knapsack.Problem{Items: []knapsack.Item{{Weight: 1}, {Weight: 1}, {Weight: 1}, {Weight: 1}}}
	p.weighLateJobs(w)
	for i, want := range []float64{math.Pow(1.01, 100), math.Pow(1.01, 12), 1, 1e3} {
		if got := w.Items[i].Weight; math.Abs(got-want) > 1e-9*want {
			t.Errorf("job %d weighs %g, want %g", i, got, want)
		}
	}
}
