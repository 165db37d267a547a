// Package fifo is first come, first served, never stopping a job. It is what the
// other systems are compared with.
//
// EASY backfilling: D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995.
package fifo

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is FIFO with its parameters.
type Policy struct {
	Backfill string `param:"backfill" choices:"none,easy" default:"none" help:"who may pass a blocked job: no job, or those who do not delay it"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:    "fifo",
		Predict: predict.Ladder{},
		Order:   order.ByArrival{},
		Rules:   f.Rules(),
	}
	if f.Backfill == "easy" {
		p.Backfill = backfill.EASY{}
	}
	return p.Decide(s)
}

// System describes FIFO in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "fifo", Title: "First come, first served, with EASY backfilling as an option",
		Venue: "JSSPP", Year: 1995,
		Cite:         `D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995 (EASY backfilling)`,
		Idea:         "Serve in order of arrival; with backfill, let short jobs pass where they do not delay the first that is blocked.",
		OwnStages:    []string{"predict", "order", "backfill"},
		NeededInputs: []string{"arrival", "time limit (for backfill)"},
		Fallback:     "a job without a time limit passes only on GPUs that the reservation leaves over",
		Reproduced:   "backfill example: 4 GPUs, a job that ends with the reservation passes, a longer one does not",
	})
}
