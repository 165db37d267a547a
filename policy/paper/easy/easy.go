// Package easy is first come, first served, with a reservation for the first blocked
// job of each partition and GPU type: jobs that do not delay it may pass.
//
// D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995. Predictions in
// place of limits: D. Tsafrir, Y. Etsion, D. G. Feitelson, "Backfilling Using
// System-Generated Predictions Rather than User Runtime Estimates", TPDS 2007.
package easy

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is EASY backfilling with its parameters.
type Policy struct {
	// Lengths by estimate let more jobs pass and delay some reservations.
	Lengths string `param:"lengths" choices:"limit,estimate" default:"limit" help:"how long jobs are taken to run: their time limits, which are kept, or what is predicted"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (b *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	length := engine.RunLengthByLimit
	if b.Lengths == "estimate" {
		length = engine.RunLengthByEstimate
	}
	return engine.Pipeline{
		Name:     "easy",
		Predict:  predict.Ladder{},
		Order:    order.ByArrival{},
		Backfill: backfill.EASY{RunLength: length},
		Rules:    b.Rules(),
	}.Decide(s)
}

// System describes EASY backfilling in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "easy", Title: "First come, first served with EASY backfilling", Venue: "JSSPP", Year: 1995,
		Cite:         `D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995`,
		Idea:         "Serve in order of arrival; the first blocked job gets a reservation, and who does not delay it passes.",
		OwnStages:    []string{"predict", "order", "backfill"},
		NeededInputs: []string{"arrival", "time limit, or a prediction"},
		Fallback:     "a job of unknown length passes only on GPUs that the reservation leaves over",
		Reproduced:   "backfill example; average completion at most half that of strict order on a heavy-tailed workload",
		Deviations: []string{
			"Time limits are kept unless lengths says estimate. A simulation in exact fidelity does say so, and where a trace's jobs report their length it knows when every job ends, as no real EASY does.",
			"One reservation for each partition and GPU type, not one in all.",
		},
		SimulatorParams: paper.Params{"lengths": "estimate", "max_wait": "0s"},
		WorkConserving:  false,
	})
}
