package paper

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// SRTF serves the job with the shortest remaining time first and stops others
// for it. Of jobs of which nothing is known it serves those that received
// least: expecting a job to run as long again as it has, the two are the same.
//
// L. E. Schrage, "A Proof of the Optimality of the Shortest Remaining
// Processing Time Discipline", Operations Research 1968.
type SRTF struct {
	Service  bool          // GPU time in place of time
	MinRun   time.Duration // shortest run before a job may be stopped
	MaxStops int           // stops in a job's life; negative: any number
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (f *SRTF) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	l := lengths{0, f.Service}
	return engine.Pipeline{
		Name:     "srtf",
		Predict:  predict.Ladder{},
		Order:    byLength{l, nil},
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(func(_ *engine.Round, e *engine.Entry) int { return int(l.left(e) * 1000) }),
		Rules:    rules(f.MinRun, f.MaxStops, f.MaxWait),
	}.Decide(s)
}

func srtfEntry() Entry {
	params := []Param{byParam, minRunParam, maxStopsParam, maxWaitParam}
	return Entry{
		Name: "srtf", Title: "Shortest remaining time first", Venue: "Operations Research", Year: 1968,
		Cite:           `L. E. Schrage, "A Proof of the Optimality of the Shortest Remaining Processing Time Discipline", Operations Research 1968`,
		Idea:           "Serve the job that will be done soonest, and stop others for it.",
		Stages:         []string{"predict", "order", "backfill", "preempt"},
		Needs:          []string{"how long a job still runs: steps and speed, progress, history, or time limit"},
		Fallback:       "what a job has received stands for what it has left: least attained service first",
		Reproduced:     "average completion time below first come, first served and shortest job first on heavy-tailed workloads",
		MayStarve:      true,
		Params:         params,
		Exact:          Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving: true,
		New: construct(params, func(v values) policy.Policy {
			return &SRTF{Service: v.text("by") == "service", MinRun: v.duration("min_run"),
				MaxStops: v.integer("max_stops"), MaxWait: v.duration("max_wait")}
		}),
	}
}
