// Package qssf serves the job first that is predicted to need the least GPU time, by what jobs like
// it took before, and stops none.
//
// Q. Hu, P. Sun, S. Yan, Y. Wen, T. Zhang, "Characterization and Prediction of Deep Learning
// Workloads in Large-Scale GPU Datacenters", SC 2021: the quasi-shortest-service-first service of
// Helios.
package qssf

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
)

// Policy is quasi shortest service first with its parameters.
type Policy struct {
	Backfill string `param:"backfill" choices:"none,easy" default:"easy" help:"who may pass a blocked job: no job of its partition and GPU type, as published, or those that are predicted to end, with a standard error, before it would start"`
	paper.MaxWaitParam
}

// ladder takes what history says of a job before what it says itself: the paper asks nothing of jobs.
var ladder = predict.Ladder{predict.History{}, predict.Training{}, predict.Progress{}, predict.Limit{}}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:    "qssf",
		Predict: ladder,
		Order:   order.ByLength{KeysBefore: order.ByKeys{order.ActiveFirst}, UnknownLength: predict.MedianRunTime(s.History), UseGPUTime: true},
		Place:   place.Consolidated{},
		Rules:   f.Rules(),
	}
	if f.Backfill == "easy" {
		p.Backfill = backfill.EASY{RunLength: engine.RunLengthByEstimate}
	}
	return p.Decide(s)
}

// System describes quasi shortest service first in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "qssf", Title: "Quasi shortest service first: least GPU time first, as history predicts it", Venue: "SC", Year: 2021,
		Cite:         `Q. Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters", SC 2021`,
		Idea:         "Serve the job first that needs the least GPU time by what jobs like it took before; stop no job.",
		OwnStages:    []string{"predict", "order", "place", "backfill"},
		NeededInputs: []string{"how long jobs like it ran, from history: user, name, size"},
		Fallback:     "without history what a job reports, then its time limit; a job of which nothing is known counts as long as the median of finished jobs",
		Reproduced:   "its own order of recurring jobs; days of Helios' kind against first come, first served and against true run times: see docs/evaluation.md",
		Deviations: []string{
			"Run times come from the one model of this project (docs/predictor.md) and not from the paper's mean of a user's similar names blended with boosted trees.",
			"Virtual clusters are partitions; jobs that delay no blocked job by what is predicted pass it. In the paper none of the virtual cluster does: backfill=none.",
			"A job that waited for max_wait goes to the front with a reservation; in the paper a long one may wait for ever.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"backfill": "none", "max_wait": "0s"},
	})
}
