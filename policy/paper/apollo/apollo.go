// Package apollo sends each job to the GPU type on which it is thought to complete first: it
// counts how long it waits there, how long it runs there, and that it may fail, keeps to that
// plan, and corrects it where it turns out wrong.
//
// E. Boutin, J. Ekanayake, W. Lin, B. Shi, J. Zhou, Z. Qian, M. Wu, L. Zhou, "Apollo: Scalable
// and Coordinated Scheduling for Cloud-Scale Computing", OSDI 2014.
package apollo

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is Apollo with its parameters.
type Policy struct {
	Failure  float64       `param:"failure" default:"2" help:"how many times its time a job loses that fails, for the part of a type's GPUs that are found faulty"`
	Slip     time.Duration `param:"slip" default:"10m" min:"1" help:"a plan is corrected where another GPU type would complete the job sooner by more than this and slip_part"`
	SlipPart float64       `param:"slip_part" default:"0.25" help:"by which part of the time until its completion another type must be better, too"`
	Again    time.Duration `param:"again" default:"10m" help:"how long a plan stands before it may be corrected"`
	Sigma    float64       `param:"sigma" default:"0" max:"3" help:"by how many standard errors jobs that run are thought to end later than predicted"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	before, err := policy.Recall[memory](s.Memo)
	if err == nil {
		err = before.check()
	}
	if err != nil {
		return nil, fmt.Errorf("policy apollo: reading what was remembered: %w", err)
	}
	a := &planner{Policy: p, before: before}
	plan, err := engine.Pipeline{Name: "apollo", Predict: predict.Ladder{}, Allocate: a, Rules: p.Rules()}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(a.after)
	return plan, nil
}

// System describes Apollo in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "apollo", Title: "Apollo: where a job completes first, by wait, run and risk", Venue: "OSDI", Year: 2014,
		Cite:         `E. Boutin et al., "Apollo: Scalable and Coordinated Scheduling for Cloud-Scale Computing", OSDI 2014`,
		Idea:         "Plan each job for the GPU type on which its wait and its run, together, end first; keep to the plan, and correct it where it slips.",
		OwnStages:    []string{"predict", "order", "lease"},
		NeededInputs: []string{"how long a job will run, from its reports, history or limit", "how fast it is on each GPU type it accepts"},
		Fallback:     "a job of unknown length counts as long as the mean of the others, and types of unknown speed as equally fast",
		Reproduced:   "its worked examples of cost and matching; three GPU types against starting at once anywhere and against the fastest type only: see docs/evaluation.md",
		Deviations: []string{
			"One scheduler plans for GPU types and not for servers: no job queues at a node, a plan is a turn in line, and Slurm has no duplicates to send.",
			"Jobs propose by the loss that their second choice would be, one by one; the paper matches a batch of tasks to servers stably.",
			"The risk of failure is the part of a type's GPUs that were found faulty. A slow node is not avoided.",
			"Waits count GPUs and nodes, no cores or memory: where those lack, a plan slips.",
			"Opportunistic jobs are those whose owners say so, and they run where GPUs are lent; the paper adds such tasks of every job, at random places.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

// memory are the plans of jobs that wait.
type memory struct {
	Jobs  []policy.JobID `json:"jobs,omitempty"` // sorted
	Plans []plan         `json:"plans,omitempty"`
}

// plan is where a job is to run.
type plan struct {
	GPUType string    `json:"type"`
	Made    time.Time `json:"made"`
	Start   time.Time `json:"start"` // when it was to start, as thought then
}

var errGarbled = errors.New("jobs are not sorted, or plans are not as many")

func (m *memory) check() error {
	if len(m.Jobs) != len(m.Plans) || !slices.IsSorted(m.Jobs) {
		return errGarbled
	}
	return nil
}

// keep notes the plan of a job. Jobs are noted by id.
func (m *memory) keep(id policy.JobID, p plan) {
	m.Jobs, m.Plans = append(m.Jobs, id), append(m.Plans, p)
}
