package paper

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/predict"
)

// SJF serves the shortest job first, by the best that is known of its length,
// and stops nobody. On one machine no other order without stopping has a
// smaller average completion time.
//
// W. E. Smith, "Various optimizers for single-stage production", Naval Research
// Logistics Quarterly 1956.
type SJF struct {
	// Backfill is "greedy": whoever has room starts; or "easy": only those that
	// do not delay the shortest blocked job.
	Backfill string
	Service  bool          // GPU time in place of time
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (f *SJF) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:     "sjf",
		Predict:  predict.Ladder{},
		Order:    byLength{lengths{usual(s.History), f.Service}, order.By{order.ActiveFirst}},
		Backfill: backfill.Greedy{},
		Rules:    rules(0, 0, f.MaxWait),
	}
	if f.Backfill == "easy" {
		p.Backfill = backfill.EASY{Length: engine.ByEstimate}
	}
	return p.Decide(s)
}

// usual returns the median run time of finished jobs; without any, more than
// every estimate.
func usual(history []policy.Sample) time.Duration {
	if len(history) == 0 {
		return 1 << 62
	}
	ran := make([]time.Duration, len(history))
	for i, h := range history {
		ran[i] = h.Ran
	}
	slices.Sort(ran)
	return ran[len(ran)/2]
}

var byParam = Param{Name: "by", Kind: Choice, Default: "time", Choices: []string{"time", "service"},
	Help: "what is shortest: the time left, or that times the GPUs of the job"}

func sjfEntry() Entry {
	params := []Param{
		{Name: "backfill", Kind: Choice, Default: "greedy", Choices: []string{"greedy", "easy"},
			Help: "who may pass a blocked job: everybody, or those who do not delay it"},
		byParam, maxWaitParam,
	}
	return Entry{
		Name: "sjf", Title: "Shortest job first", Venue: "Naval Research Logistics Quarterly", Year: 1956,
		Cite:           `W. E. Smith, "Various optimizers for single-stage production", Naval Research Logistics Quarterly 1956`,
		Idea:           "Serve the job that will be done soonest; stop nobody.",
		Stages:         []string{"predict", "order", "backfill"},
		Needs:          []string{"how long a job will run: steps and speed, progress, history, or time limit"},
		Fallback:       "a job of unknown length counts as long as the median of finished jobs; without history it goes last",
		Reproduced:     "least average completion time of all orders, against every permutation of small instances",
		MayStarve:      true,
		Params:         params,
		Exact:          Params{"max_wait": "0s"},
		WorkConserving: true,
		New: construct(params, func(v values) policy.Policy {
			return &SJF{Backfill: v.text("backfill"), Service: v.text("by") == "service", MaxWait: v.duration("max_wait")}
		}),
	}
}
