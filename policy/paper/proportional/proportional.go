// Package proportional gives every job the same fraction of the time, whatever it
// asks: GPUs over jobs, but no more than one. It is the yardstick of fairness
// in Shockwave's evaluation, where it is called Gandiva-Fair.
//
// P. Zheng, R. Pan, T. Khan, S. Venkataraman, A. Akella, "Shockwave: Fair and
// Efficient Cluster Scheduling for Dynamic Adaptation in Machine Learning",
// NSDI 2023; the rounds are Gavel's (OSDI 2020).
package proportional

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/rounds"
)

// Policy is proportional time sharing with its parameters.
type Policy struct {
	Round time.Duration `param:"round" default:"10m" min:"1" help:"how long a round lasts: how often GPUs change hands"`
	Reset time.Duration `param:"reset" default:"1000s" help:"least time between two computations of the fractions"`
	// Conserve is off in the published simulators: such jobs wait there for the
	// next computation.
	Conserve bool `param:"conserve" default:"true" help:"let jobs run where GPUs would idle before they have a fraction"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	state, err := policy.Recall[rounds.AllocatorState](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy proportional: %w", err)
	}
	stage := rounds.Allocator{RoundLength: p.Round, MinRecomputeInterval: p.Reset, NewJobsWait: !p.Conserve, Fractions: equalFractions, State: state}
	plan, err := engine.Pipeline{
		Name:     "proportional",
		Predict:  predict.Ladder{},
		Allocate: &stage,
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.State)
	return plan, nil
}

// equalFractions gives each job the same fraction of each type's GPUs: their
// number over that of the jobs, divided by the sum over the types where that
// exceeds one.
func equalFractions(r *engine.Round, types []string) ([][]float64, error) {
	x, sum := rounds.CountGPUsByType(r, types), 0.0
	for k := range x {
		x[k] /= float64(max(len(r.Entries), 1))
		sum += x[k]
	}
	for k := range x {
		x[k] /= max(sum, 1)
	}
	rows := make([][]float64, len(r.Entries))
	for i := range rows {
		rows[i] = x
	}
	return rows, nil
}

// System describes proportional time sharing in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "proportional", Title: "Proportional time sharing, job by job", Venue: "NSDI", Year: 2023,
		Cite:         `P. Zheng et al., "Shockwave: Fair and Efficient Cluster Scheduling for Dynamic Adaptation in Machine Learning", NSDI 2023 (its baseline)`,
		Idea:         "Every job runs the same fraction of the time: GPUs over jobs.",
		OwnStages:    []string{"predict", "order", "size", "lease", "backfill"},
		NeededInputs: []string{"GPU time received"},
		Fallback:     "none needed: it asks nothing of a job but its request",
		Reproduced:   "Shockwave's published figures to the last digit: 120 jobs on 32 GPUs, makespan 32,367 s, average JCT 12,574 s, worst finish-time fairness 1.854",
		Deviations: []string{
			"With conserve, the default outside simulations, jobs run where GPUs would idle before they have a fraction; in the simulators they wait.",
		},
		SimulatorParams: paper.Params{"round": "120s", "conserve": false, "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}
