package golden

import (
	"math"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
)

// shockwave simulates the policy with what its harness tells it of jobs.
func (s setting) shockwave(t testing.TB, given paper.Params, profiled bool) *measure.Run {
	t.Helper()
	jobs, tables := s.workload(t)
	run, err := exact.Run(exact.Config{Policy: lookup(t, "shockwave", given), Nodes: nodes(s.gpus, "v100"), Jobs: jobs, SpeedTables: tables,
		Clock: exact.ShockwaveClock(), ReportsPlannedRegimes: profiled, OmitsReasons: true})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestShockwave wants makespan and average completion time of Shockwave as
// published with 120 jobs, and as the published simulator gave again, with
// another solver, with 120 and 220. The other figures hang on a few jobs; the
// two solvers differ by 3 % in the mean job's completion time.
func TestShockwave(t *testing.T) {
	for name, c := range map[string]struct {
		setting
		source                       string
		given                        paper.Params
		makespan, jct, worst, unfair float64
	}{
		"120, published": {small, "published", nil, 24197.4, 9958.5, 1.784, .050},
		"120, again":     {small, "rerun", nil, 24397.3, 9888.8, 1.780, .050},
		"220, again":     {medium, "rerun", nil, 24815.4, 8523.7, 2.484, .0545},
	} {
		t.Run(name, func(t *testing.T) {
			run := c.shockwave(t, c.given, true)
			s := run.Summarize()
			apart := 0.0
			for i, was := range c.perJob(t, c.source, "shockwave").JCT {
				apart += math.Abs(run.JCTs()[i]/was-1) / float64(c.jobs)
			}
			t.Logf("makespan %.1f (%+.2f %%), average JCT %.1f (%+.2f %%), worst ρ %.3f (%.3f), unfair %.3f (%.3f), jobs %.1f %% apart, %.0f ms",
				s.Makespan, 100*(s.Makespan/c.makespan-1), s.AvgJCT, 100*(s.AvgJCT/c.jct-1), s.WorstRho, c.worst, s.UnfairShare, c.unfair, 100*apart, 1e3*s.WallSeconds)
			for what, f := range map[string][3]float64{
				"makespan": {s.Makespan, c.makespan, .02}, "average JCT": {s.AvgJCT, c.jct, .02}, "worst ρ": {s.WorstRho, c.worst, .15},
			} {
				if math.Abs(f[0]/f[1]-1) > f[2] {
					t.Errorf("%s %.3f, published %.3f", what, f[0], f[1])
				}
			}
			if math.Abs(s.UnfairShare-c.unfair) > .02 {
				t.Errorf("unfair share %.3f, published %.3f", s.UnfairShare, c.unfair)
			}
			if apart > .06 {
				t.Errorf("a job's completion time is %.1f %% off on average", 100*apart)
			}
		})
	}
}

// TestShockwaveIsFairer: told what jobs did rather than what they had planned,
// the same policy treats no job worse than its published simulator did.
func TestShockwaveIsFairer(t *testing.T) {
	for _, s := range []setting{small, medium} {
		told, planned := s.shockwave(t, nil, false).Summarize(), s.shockwave(t, nil, true).Summarize()
		t.Logf("%d jobs: worst ρ %.3f, unfair %.3f; by plans %.3f, %.3f", s.jobs, told.WorstRho, told.UnfairShare, planned.WorstRho, planned.UnfairShare)
		if told.WorstRho > planned.WorstRho || told.UnfairShare > planned.UnfairShare {
			t.Errorf("%d jobs: worst ρ %.3f, unfair %.3f; by plans %.3f, %.3f", s.jobs, told.WorstRho, told.UnfairShare, planned.WorstRho, planned.UnfairShare)
		}
	}
}

// TestShockwaveOnAnotherTrace wants our figures on a trace drawn by the
// published generator within those of three runs of the published simulator,
// or 2 % away. Its solver, here an open one with weights capped as ours, stops
// at a thousandth of the objective, and which of many plans it then has
// differs by version and seed: makespans 24,759, 25,900 and 25,911 s, average
// completion times 11,670, 10,992 and 11,404 s.
func TestShockwaveOnAnotherTrace(t *testing.T) {
	const tolerance = .02
	run := setting{120, 32, "fresh_120_101_32gpus.trace", "throughputs_tacc.json"}.shockwave(t, nil, true).Summarize()
	for what, f := range map[string]struct{ got, least, most float64 }{
		"makespan": {run.Makespan, 24759.1, 25910.9}, "average JCT": {run.AvgJCT, 10992, 11670.1},
	} {
		t.Logf("%s %.1f, published simulator %.1f to %.1f", what, f.got, f.least, f.most)
		if f.got < f.least*(1-tolerance) || f.got > f.most*(1+tolerance) {
			t.Errorf("%s %.1f, the published simulator's runs have %.1f to %.1f", what, f.got, f.least, f.most)
		}
	}
}
