// Package afs gives elastic jobs one GPU after the other: of any two jobs the longer gets it
// only where its relative gain beats that of the shorter. Nothing is assumed of what will
// arrive. With few GPUs that is shortest first, with curves that flatten it spreads GPUs.
//
// C. Hwang, T. Kim, S. Kim, J. Shin, K. Park, "Elastic Resource Sharing for Distributed Deep
// Learning", NSDI 2021. CoDDL is its runtime, which makes frequent changes of size cheap; here
// a change costs a restart, so only those are made that are worth it.
package afs

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/tournament"
)

// Policy is AFS with its parameters.
type Policy struct {
	Lengths    string        `param:"lengths" choices:"best,attained" default:"best" help:"how long jobs still run: by the best that is known (AFS-L), or as if nothing were (AFS-P)"`
	Gain       float64       `param:"gain" default:"3" help:"how many times the cost of a restart a running job must gain by growing; 0: any gain"`
	ResizeCost time.Duration `param:"resize_cost" default:"60s" help:"what a restart costs a job that does not say"`
	paper.Limits
}

// Decide implements policy.Policy.
func (a *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	var lengths engine.Predictor = predict.Ladder{}
	if a.Lengths == "attained" {
		lengths = predict.Attained{}
	}
	return engine.Pipeline{
		Name:     "afs",
		Predict:  lengths,
		Allocate: allocator{sizing.RestartRule{MinGain: a.Gain, Cost: a.ResizeCost}},
		Backfill: backfill.Greedy{},
		Rules:    a.Rules(),
	}.Decide(s)
}

// allocator is an engine.Allocator.
type allocator struct{ sizing.RestartRule }

// Allocate implements engine.Allocator.
func (a allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	pools := sizing.ListContests(r)
	for _, p := range pools {
		contestants := make([]tournament.Contestant, len(p.Jobs))
		for i, j := range p.Jobs {
			contestants[i] = tournament.Contestant{Next: j.Next, Pace: j.Pace}
		}
		for i, n := range tournament.Divide(p.Count, contestants, tournament.ToShorter) {
			j := p.Jobs[i]
			if j.Size = n; !r.OmitReasons {
				left := policy.FormatDuration(policy.DurationFromSeconds(j.SecondsOn(max(n, j.Least()))))
				j.Note = policy.FormatCount(n, "GPU") + " are its part, with " + left + " left on them"
			}
		}
		a.KeepSizes(p)
	}
	return sizing.AssignContests(r, pools), nil
}

// System describes AFS in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "afs", Title: "Apathetic Future Share, with CoDDL", Venue: "NSDI", Year: 2021,
		Cite:         `C. Hwang, T. Kim, S. Kim, J. Shin, K. Park, "Elastic Resource Sharing for Distributed Deep Learning", NSDI 2021`,
		Idea:         "Give each GPU to the job that gains most by it in relation to its length, and assume nothing of what will arrive.",
		OwnStages:    []string{"predict", "allocate", "backfill"},
		NeededInputs: []string{"the range of GPUs a job can run on", "how fast it goes on them", "how long it still runs"},
		Fallback:     "a job without a range is a block of what it asks; one of unknown speeds follows Amdahl's law with a serial part of 5 %; what a job has received stands for what it has left (AFS-P)",
		Deviations: []string{
			"A running job grows only where it ends earlier by three times what a restart costs, and shrinks only where others need its GPUs: CoDDL changes sizes at hardly any cost.",
			"Beyond one node, sizes are whole nodes.",
			"Gains are counted for each GPU, so that jobs of a fixed size take part as blocks.",
			"Under Slurm sizes change only where mode and owner allow it; else jobs get what they ask.",
		},
		Reproduced:      "the divisions of two jobs on four GPUs; average completion times on drawn jobs of Philly's kind with a range of GPUs, beside Tiresias and the shortest first; PCS' run of AFS to the digit (clock pcs)",
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		MayStarve:       true,
	})
}
