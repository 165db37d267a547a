// Package muri lets up to four jobs share GPUs and take turns at the resources a step needs:
// while one computes, another reads its input or exchanges over the network. Jobs are grouped by
// matchings of the largest weight, no further than it takes for those whose turn it is to fit.
//
// Y. Zhao, Y. Liu, Y. Peng, Y. Zhu, X. Liu, X. Jin, "Multi-Resource Interleaving for
// Deep Learning Training", SIGCOMM 2022.
//
// The paper groups all jobs anew every few minutes. Here a stop is a requeue, and jobs that share
// GPUs already stay together.
package muri

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
)

// Values of Policy.Lengths.
const (
	lengthsKnown    = "known"
	lengthsAttained = "attained"
)

// Policy is Muri with its parameters.
type Policy struct {
	Lengths string `param:"lengths" choices:"known,attained" default:"attained" help:"whose turn it is: known, of the job with the least GPU time left (Muri-S); attained, of the one that had the least (Muri-L)"`
	Unpack  bool   `param:"unpack" default:"true" help:"do not let jobs share GPUs of which a step together takes longer than one of each after another"`
	Jobs    int    `param:"jobs" default:"4" min:"1" max:"4" help:"how many jobs may share GPUs, where all of them accept as many"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return engine.Pipeline{
		Name:     "muri",
		Predict:  predict.Ladder{},
		Allocate: &packAllocator{Policy: p},
		Place:    place.Consolidated{},
		Pack:     pack.BesideAssignedPartner{},
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
}

// System describes Muri in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "muri", Title: "Muri: jobs that take turns at input, GPU and network", Venue: "SIGCOMM", Year: 2022,
		Cite:         `Y. Zhao et al., "Multi-Resource Interleaving for Deep Learning Training", SIGCOMM 2022`,
		Idea:         "Let jobs share GPUs that need different resources at different times of a step.",
		OwnStages:    []string{"predict", "order", "lease", "pack", "preempt"},
		NeededInputs: []string{"seconds of a step at input, GPU and network (to share)", "GPU time received; or how long a job still runs"},
		Fallback:     "jobs of which the stages of a step are not known, or whose owners accept no neighbour, run alone",
		Reproduced: "its published simulator's rule, restated on its clock: mean completion times of Muri-S and Muri-L within 2 % of the published, 99 % within 4 % " +
			"(traces 3 and 3', 992 jobs on 64 GPUs); the model of a cycle to six digits",
		Deviations: []string{
			"Jobs that share GPUs stay together, and a waiting one joins them; the paper groups all jobs anew every few minutes, which under Slurm would be a requeue of each.",
			"A job that finds free GPUs runs alone, although the grouping put it beside another.",
			"Memory counts: jobs whose memory together is known to exceed the GPU's are never put together.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}
