package golden

import (
	"fmt"
	"math"
	"testing"

	"fairbridge/policy/paper"
)

// TestThemis wants makespan and average completion time of the published
// finish_time_fairness within 2 %. The worst ρ depends on which of many optima
// a solver returns: published and run again with another one it is 3.438 and
// 3.045 with 120 jobs.
func TestThemis(t *testing.T) {
	for _, c := range []struct {
		setting
		makespan, jct float64
	}{
		{small, 31928.7, 11302.0},
		{medium, 32452.5, 9885.0},
	} {
		t.Run(fmt.Sprint(c.jobs), func(t *testing.T) {
			s := c.simulate(t, lookup(t, "themis", paper.Params{"method": "lp"})).Summarize()
			t.Logf("makespan %.0f, average JCT %.0f, worst ρ %.2f, unfair %.3f, utilisation %.3f", s.Makespan, s.AvgJCT, s.WorstRho, s.UnfairShare, s.Utilization)
			if off := s.Makespan/c.makespan - 1; math.Abs(off) > .02 {
				t.Errorf("makespan %.1f, %+.1f %% of the published %.1f", s.Makespan, 100*off, c.makespan)
			}
			if off := s.AvgJCT/c.jct - 1; math.Abs(off) > .02 {
				t.Errorf("average JCT %.1f, %+.1f %% of the published %.1f", s.AvgJCT, 100*off, c.jct)
			}
		})
	}
}
