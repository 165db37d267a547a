package golden

import (
	"fmt"
	"math"
	"testing"

	"fairbridge/policy/paper"
)

// TestGavel wants makespan and average completion time of Gavel's objectives as
// published with 120 jobs, and as the published simulator gave again with 220.
// The worst ρ depends on which of many optima a solver returns.
func TestGavel(t *testing.T) {
	for _, c := range []struct {
		setting
		objective     string
		makespan, jct float64
		within        float64
	}{
		{small, "max-min", 33207.663, 11274.117, .001},
		{small, "finish-time-fairness", 31928.7, 11302.0, .02},
		{small, "makespan", 24204.8, 19806.7, .02},
		{small, "throughput", 31909.0, 9654.7, .02},
		{medium, "max-min", 33872.3, 9225.6, .001},
		{medium, "finish-time-fairness", 32452.5, 9885.0, .02},
		{medium, "makespan", 25292.7, 19777.3, .02},
		{medium, "throughput", 35918.9, 9310.5, .02},
	} {
		t.Run(fmt.Sprint(c.objective, "/", c.jobs), func(t *testing.T) {
			s := c.simulate(t, lookup(t, "gavel", paper.Params{"objective": c.objective})).Summarize()
			t.Logf("makespan %.1f (%+.2f %%), average JCT %.1f (%+.2f %%), worst ρ %.3f, unfair %.3f, utilisation %.3f, %.0f ms",
				s.Makespan, 100*(s.Makespan/c.makespan-1), s.AvgJCT, 100*(s.AvgJCT/c.jct-1), s.WorstRho, s.UnfairShare, s.Utilization, 1e3*s.WallSeconds)
			if off := s.Makespan/c.makespan - 1; math.Abs(off) > c.within {
				t.Errorf("makespan %.1f, %+.2f %% of the published %.1f", s.Makespan, 100*off, c.makespan)
			}
			if off := s.AvgJCT/c.jct - 1; math.Abs(off) > c.within {
				t.Errorf("average JCT %.1f, %+.2f %% of the published %.1f", s.AvgJCT, 100*off, c.jct)
			}
		})
	}
}
