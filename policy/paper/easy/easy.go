// Package easy is first come, first served, with a reservation for the first blocked
// job of each partition and GPU type: jobs that do not delay it may pass.
//
// D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995. Predictions in
// place of limits, and shortest job backfilled first (pass=shortest): D. Tsafrir, Y. Etsion, D. G. Feitelson,
// "Backfilling Using System-Generated Predictions Rather than User Runtime Estimates", TPDS 2007.
package easy

import (
	"cmp"
	"math"
	"time"

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
	Lengths string `param:"lengths" choices:"limit,report,estimate" default:"limit" help:"how long jobs are taken to run: their time limits, which are kept; what those report that report; or what is predicted"`
	Pass    string `param:"pass" choices:"arrival,shortest" default:"arrival" help:"in which order jobs pass the first blocked one: by arrival, or the shortest first"`
	paper.MaxWaitParam
}

// runLengths are how long jobs are taken to run, by the choices of Lengths.
var runLengths = map[string]engine.RunLength{
	"limit": engine.RunLengthByLimit, "report": engine.RunLengthByReport, "estimate": engine.RunLengthByEstimate,
}

// Decide implements policy.Policy.
func (b *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := engine.Pipeline{
		Name:     "easy",
		Predict:  predict.Ladder{},
		Order:    order.ByArrival{},
		Backfill: backfill.EASY{RunLength: runLengths[b.Lengths]},
		Rules:    b.Rules(),
	}
	if b.Pass == "shortest" {
		p.PassOrder = b.compareLength
	}
	return p.Decide(s)
}

// compareLength puts the shorter job first, and those of unknown length last.
func (b *Policy) compareLength(r *engine.Round, x, y *engine.Entry) int {
	return cmp.Compare(b.lengthOrEver(r, x), b.lengthOrEver(r, y))
}

func (b *Policy) lengthOrEver(r *engine.Round, e *engine.Entry) time.Duration {
	if d, ok := runLengths[b.Lengths](r, e); ok {
		return d
	}
	return math.MaxInt64
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
			"Time limits are kept unless lengths says otherwise. A simulation in exact fidelity takes training jobs of published traces, which have no limits, at what they report (lengths=report); all others have limits there too.",
			"One reservation for each partition and GPU type, not one in all.",
		},
		SimulatorParams: paper.Params{"lengths": "report", "max_wait": "0s"},
		WorkConserving:  false,
	})
}
