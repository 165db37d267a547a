// Package allox chooses the GPU type and the order of jobs together: it matches jobs to
// places counted from the end of the queues of all machines so that the sum of
// completion times is least, among the jobs of the least served users.
//
// T. N. Le, X. Sun, M. Chowdhury, Z. Liu, "AlloX: Compute Allocation in Hybrid
// Clusters", EuroSys 2020.
//
// No job that runs is stopped. The paper's jobs take one GPU; here a gang takes
// the time of as many machines from those behind it.
package allox

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is AlloX with its parameters.
type Policy struct {
	Alpha   float64       `param:"alpha" default:"0.3" max:"1" help:"fraction of users, the least served first, whose jobs compete; 1: all of them"`
	Variant string        `param:"variant" choices:"paper,harness" default:"paper" help:"harness: fractions of rounds as in Shockwave's simulator, the oldest jobs first"`
	Reserve time.Duration `param:"reserve" default:"1h" help:"wait after which the first blocked gang gets a reservation; 0s: none"`
	// MinRun and MaxStops matter to the harness only: otherwise no job is stopped.
	paper.PatientLimits
}

// maxMatchingSteps bounds one matching to about half a second.
const maxMatchingSteps = 3e7

// Decide implements policy.Policy.
func (a *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if a.Variant == "harness" {
		return a.decideAsSimulator(s)
	}
	return engine.Pipeline{
		Name:     "allox",
		Predict:  predict.Ladder{},
		Allocate: matchingAllocator{a},
		Backfill: backfill.ReserveAfter(a.Reserve),
		Rules:    a.Rules(),
	}.Decide(s)
}

// System describes AlloX in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "allox", Title: "AlloX", Venue: "EuroSys", Year: 2020,
		Cite:         `T. N. Le et al., "AlloX: Compute Allocation in Hybrid Clusters", EuroSys 2020`,
		Idea:         "Match jobs to places in the queues of all GPU types so that the sum of completion times is least.",
		OwnStages:    []string{"predict", "order", "lease", "backfill"},
		NeededInputs: []string{"remaining time on each GPU type", "service of users"},
		Fallback:     "a job that reports no speeds goes equally fast on all types; one of unknown length counts as the mean of the others",
		Reproduced:   "a worked example of matching (three jobs, completion times of 8 hours together); shortest first on one type; all figures of Shockwave's simulator with variant harness, to the last digit",
		Deviations: []string{
			"A gang takes the time of as many machines; the paper's jobs take one GPU.",
			"No profiling runs: speeds by type are those that jobs report, and a job that reports none counts as equally fast everywhere.",
			"A blocked gang gets a reservation after the time reserve, which jobs of one GPU do not need.",
		},
		SimulatorParams: paper.Params{"variant": "harness", "alpha": 0.2, "min_run": "1s", "max_stops": -1, "max_wait": "0s",
			"reserve": "0s"},
	})
}
