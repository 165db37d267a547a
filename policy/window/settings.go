// Package window plans some rounds ahead who runs in which of them, and keeps
// to the plan until jobs come or go.
package window

import (
	"time"

	"fairbridge/policy/predict"
)

// Settings are the parameters of a Planner.
type Settings struct {
	RoundLength       time.Duration // a lease
	RoundsPlanned     int           // rounds planned, at most 64
	ReplanAfterRounds int           // rounds after which the plan is renewed though no job came or left
	LongestRestCost   float64       // what a second of the longest rest costs, the utility of all jobs being one a round
	LatenessPower     float64       // power of its lateness, in the weight of a job that would finish too late
	RhoMax            float64       // how much later than with an equal share is too late
	MaxWeight         float64       // the largest weight of a job
	// AddedSigmas are the standard errors that are added to what is left of a job
	// when its fairness is judged.
	AddedSigmas float64
	// CountFromFirstPlan counts the times that weights are made of from the first plan, and
	// takes the plan a job is first in for its arrival, as the authors of Shockwave
	// do in their simulator. Otherwise times are from the arrival of each job.
	CountFromFirstPlan bool
	Predictor          predict.Regimes
}
