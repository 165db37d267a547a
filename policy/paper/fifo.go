package paper

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/predict"
)

// FIFO is first come, first served, never stopping anybody. It is what the
// other systems are compared with.
//
// EASY backfilling: D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995.
type FIFO struct {
	// Backfill is "none": nobody passes a blocked job of its partition and GPU
	// type; or "easy": those pass that do not delay its earliest start.
	Backfill string
	// MaxWait is the wait after which nobody may delay a job; 0: never.
	MaxWait time.Duration
}

// Decide implements policy.Policy.
func (f *FIFO) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:    "fifo",
		Predict: predict.Ladder{},
		Order:   order.ByArrival{},
		Rules:   rules(0, 0, f.MaxWait),
	}
	if f.Backfill == "easy" {
		p.Backfill = backfill.EASY{}
	}
	return p.Decide(s)
}

func fifoEntry() Entry {
	params := []Param{
		{Name: "backfill", Kind: Choice, Default: "none", Choices: []string{"none", "easy"},
			Help: "who may pass a blocked job: nobody, or those who do not delay it"},
		maxWaitParam,
	}
	return Entry{
		Name: "fifo", Title: "First come, first served, with EASY backfilling as an option",
		Venue: "JSSPP", Year: 1995,
		Cite:       `D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995 (EASY backfilling)`,
		Idea:       "Serve in order of arrival; with backfill, let short jobs pass where they delay nobody.",
		Stages:     []string{"predict", "order", "backfill"},
		Needs:      []string{"arrival", "time limit (for backfill)"},
		Fallback:   "a job without a time limit passes only on GPUs that the reservation leaves over",
		Reproduced: "backfill example: 4 GPUs, a job that ends with the reservation passes, a longer one does not",
		Params:     params,
		New: construct(params, func(v values) policy.Policy {
			return &FIFO{Backfill: v.text("backfill"), MaxWait: v.duration("max_wait")}
		}),
	}
}
