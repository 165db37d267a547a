// Package srtf serves the job with the shortest remaining time first and stops others
// for it. Of jobs of which nothing is known it serves those that received
// least: expecting a job to run as long again as it has, the two are the same.
//
// L. E. Schrage, "A Proof of the Optimality of the Shortest Remaining
// Processing Time Discipline", Operations Research 1968.
package srtf

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// Policy is shortest remaining time first with its parameters.
type Policy struct {
	paper.ShortestByParam
	paper.Limits
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	line := order.ByLength{UseGPUTime: f.By == "service"}
	return engine.Pipeline{
		Name:     "srtf",
		Predict:  predict.Ladder{},
		Order:    line,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(func(_ *engine.Round, e *engine.Entry) int { return int(line.LengthLeft(e) * 1000) }),
		Rules:    f.Rules(),
	}.Decide(s)
}

// System describes shortest remaining time first in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "srtf", Title: "Shortest remaining time first", Venue: "Operations Research", Year: 1968,
		Cite:         `L. E. Schrage, "A Proof of the Optimality of the Shortest Remaining Processing Time Discipline", Operations Research 1968`,
		Idea:         "Serve the job that will be done soonest, and stop others for it.",
		OwnStages:    []string{"predict", "order", "backfill", "preempt"},
		NeededInputs: []string{"how long a job still runs: steps and speed, progress, history, or time limit"},
		Fallback:     "what a job has received stands for what it has left: least attained service first",
		Reproduced:   "average completion time below first come, first served and shortest job first on heavy-tailed workloads",
		Deviations: []string{
			"Optimal on one machine; gangs on many GPUs may leave some idle, and min_run and max_stops keep jobs that the rule would stop.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving:  true,
	})
}
