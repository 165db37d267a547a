// Package fifo is first come, first served, never stopping anybody. It is what the
// other systems are compared with.
//
// EASY backfilling: D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995.
package fifo

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is FIFO with its parameters.
type Policy struct {
	// Backfill is "none": nobody passes a blocked job of its partition and GPU
	// type; or "easy": those pass that do not delay its earliest start.
	Backfill string
	// MaxWait is the wait after which nobody may delay a job; 0: never.
	MaxWait time.Duration
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:    "fifo",
		Predict: predict.Ladder{},
		Order:   order.ByArrival{},
		Rules:   paper.Rules(0, 0, f.MaxWait),
	}
	if f.Backfill == "easy" {
		p.Backfill = backfill.EASY{}
	}
	return p.Decide(s)
}

// System describes FIFO in the catalogue.
func System() paper.System {
	params := []paper.Param{
		{Name: "backfill", Kind: paper.Choice, Default: "none", Choices: []string{"none", "easy"},
			Help: "who may pass a blocked job: nobody, or those who do not delay it"},
		paper.MaxWaitParam,
	}
	return paper.System{
		Name: "fifo", Title: "First come, first served, with EASY backfilling as an option",
		Venue: "JSSPP", Year: 1995,
		Cite:       `D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995 (EASY backfilling)`,
		Idea:       "Serve in order of arrival; with backfill, let short jobs pass where they delay nobody.",
		Stages:     []string{"predict", "order", "backfill"},
		Needs:      []string{"arrival", "time limit (for backfill)"},
		Fallback:   "a job without a time limit passes only on GPUs that the reservation leaves over",
		Reproduced: "backfill example: 4 GPUs, a job that ends with the reservation passes, a longer one does not",
		Params:     params,
		New: paper.Construct(params, func(v paper.Values) policy.Policy {
			return &Policy{Backfill: v.Text("backfill"), MaxWait: v.Duration("max_wait")}
		}),
	}
}
