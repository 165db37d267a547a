// Package srtf serves the job with the shortest remaining time first and stops others
// for it. Of jobs of which nothing is known it serves those that received
// least: expecting a job to run as long again as it has, the two are the same.
//
// L. E. Schrage, "A Proof of the Optimality of the Shortest Remaining
// Processing Time Discipline", Operations Research 1968.
package srtf

import (
	"time"

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
	Service  bool          // GPU time in place of time
	MinRun   time.Duration // shortest run before a job may be stopped
	MaxStops int           // stops in a job's life; negative: any number
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	line := order.ByLength{Service: f.Service}
	return engine.Pipeline{
		Name:     "srtf",
		Predict:  predict.Ladder{},
		Order:    line,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(func(_ *engine.Round, e *engine.Entry) int { return int(line.Left(e) * 1000) }),
		Rules:    paper.Rules(f.MinRun, f.MaxStops, f.MaxWait),
	}.Decide(s)
}

// System describes shortest remaining time first in the catalogue.
func System() paper.System {
	params := []paper.Param{paper.ByParam, paper.MinRunParam, paper.MaxStopsParam, paper.MaxWaitParam}
	return paper.System{
		Name: "srtf", Title: "Shortest remaining time first", Venue: "Operations Research", Year: 1968,
		Cite:           `L. E. Schrage, "A Proof of the Optimality of the Shortest Remaining Processing Time Discipline", Operations Research 1968`,
		Idea:           "Serve the job that will be done soonest, and stop others for it.",
		Stages:         []string{"predict", "order", "backfill", "preempt"},
		Needs:          []string{"how long a job still runs: steps and speed, progress, history, or time limit"},
		Fallback:       "what a job has received stands for what it has left: least attained service first",
		Reproduced:     "average completion time below first come, first served and shortest job first on heavy-tailed workloads",
		MayStarve:      true,
		Params:         params,
		Exact:          paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving: true,
		New: paper.Construct(params, func(v paper.Values) policy.Policy {
			return &Policy{Service: v.Text("by") == "service", MinRun: v.Duration("min_run"),
				MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait")}
		}),
	}
}
