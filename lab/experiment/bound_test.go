package experiment

import (
	"testing"

	"fairbridge/lab/generate"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// TestNothingBelowBounds wants no policy, whatever it knows, to come out below the lower
// bounds of a workload, and bounds that say something.
func TestNothingBelowBounds(t *testing.T) {
	for _, c := range []struct {
		kind, cluster, policies string
		options                 generate.WorkloadOptions
	}{
		{"shockwave", "8", "srtf,fairbridge,sjf", generate.WorkloadOptions{JobCount: 24}},
		{"day", "2x4", "srtf,sjf,easy", generate.WorkloadOptions{OfferedLoad: 1.5}},
		{"philly", "4x4", "srtf,fifo", generate.WorkloadOptions{JobCount: 60}},
	} {
		for seed := int64(1); seed <= 3; seed++ {
			s, err := GenerateScenario(c.kind, c.options, seed, nodes(t, c.cluster))
			if err != nil {
				t.Fatal(err)
			}
			e := &study.Experiment{
				Scenarios:  []*study.Scenario{s},
				RunOptions: study.RunOptions{Seed: 1, KnowsTruth: true},
			}
			if err := SetClock(&e.RunOptions, "auto", 0, s); err != nil {
				t.Fatal(err)
			}
			if e.Policies, err = policyset.ParsePolicies(c.policies, true); err != nil {
				t.Fatal(err)
			}
			results, err := e.Run(t.Context(), 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				m := &r.Median
				if r.Err != nil || m.MakespanOverBound < -1e-9 || m.AvgJCTOverBound < -1e-9 || m.MakespanOverBound > 3 {
					t.Errorf(
						"%s, seed %d, %s: makespan %.3f and mean completion %.3f above the bounds (%v)",
						c.kind,
						seed,
						r.Label,
						m.MakespanOverBound,
						m.AvgJCTOverBound,
						r.Err,
					)
				}
			}
		}
	}
}
