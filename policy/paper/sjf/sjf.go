// Package sjf serves the shortest job first, by the best that is known of its length,
// and stops none. On one machine no other order without stopping has a
// smaller average completion time.
//
// W. E. Smith, "Various optimizers for single-stage production", Naval Research
// Logistics Quarterly 1956.
package sjf

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is shortest job first with its parameters.
type Policy struct {
	Backfill string `param:"backfill" choices:"greedy,easy" default:"greedy" help:"who may pass a blocked job: every job, or those who do not delay it"`
	paper.ShortestByParam
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:     "sjf",
		Predict:  predict.Ladder{},
		Order:    order.ByLength{KeysBefore: order.ByKeys{order.ActiveFirst}, UnknownLength: predict.MedianRunTime(s.History), UseGPUTime: f.By == "service"},
		Backfill: backfill.Greedy{},
		Rules:    f.Rules(),
	}
	if f.Backfill == "easy" {
		p.Backfill = backfill.EASY{RunLength: engine.RunLengthByEstimate}
	}
	return p.Decide(s)
}

// System describes shortest job first in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "sjf", Title: "Shortest job first", Venue: "Naval Research Logistics Quarterly", Year: 1956,
		Cite:            `W. E. Smith, "Various optimizers for single-stage production", Naval Research Logistics Quarterly 1956`,
		Idea:            "Serve the job that will be done soonest; stop no job.",
		OwnStages:       []string{"predict", "order", "backfill"},
		NeededInputs:    []string{"how long a job will run: steps and speed, progress, history, or time limit"},
		Fallback:        "a job of unknown length counts as long as the median of finished jobs; without history it goes last",
		Reproduced:      "least average completion time of all orders, against every permutation of small instances",
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
		WorkConserving:  true,
	})
}
