// Package carbyne lets a workflow keep only what it must run now to end when its fair
// share would end it, and spends the rest on the workflows with least work
// left. A workflow is what one user submits under one name, numbers at its end
// aside: the tasks of an array, the runs of a sweep.
//
// R. Grandl, M. Chowdhury, A. Akella, G. Ananthanarayanan, "Altruistic
// Scheduling in Multi-Resource Clusters", OSDI 2016.
//
// The paper's jobs are graphs of tasks; Slurm shows no graph, so tasks count as
// independent, and those that still depend on others as not there.
package carbyne

import (
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
	"fairbridge/policy/share"
)

// Policy is Carbyne with its parameters.
type Policy struct {
	Altruism   float64 `param:"altruism" default:"1" max:"1" help:"part of the workflows that give away what they need not use now; 0: plain fairness"`
	SlackFloor float64 `param:"slack_floor" default:"0.1" max:"1" help:"part of the time to its fair end by which a task starts before it must"` // in case predictions are wrong
	Preempt    bool    `param:"preempt" default:"true" help:"stop tasks that need not run now for those that must"`
	paper.Limits
}

// Decide implements policy.Policy.
func (c *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	flows := splitIntoWorkflows(s)
	d := &altruisticOrder{altruism: c.Altruism, slackFloor: c.SlackFloor, workflows: flows}
	p := engine.Pipeline{
		Name:     "carbyne",
		Predict:  predict.Ladder{},
		Share:    share.DominantFairness{},
		Allocate: d,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.NoPreemption,
		Rules:    c.Rules(),
	}
	if c.Preempt {
		p.Preempt = preempt.ByLease
	}
	return p.Decide(flows.rewrittenSnapshot)
}

// System describes Carbyne in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "carbyne", Title: "Carbyne: altruistic scheduling", Venue: "OSDI", Year: 2016,
		Cite:         `R. Grandl et al., "Altruistic Scheduling in Multi-Resource Clusters", OSDI 2016`,
		Idea:         "Run now only what must run now to end when a fair share would end it; the rest of the share helps short workflows.",
		OwnStages:    []string{"predict", "share", "order", "backfill", "preempt"},
		NeededInputs: []string{"remaining time of every task of a workflow", "GPUs, cores and memory asked", "account weights"},
		Fallback:     "a workflow with a task of unknown length keeps its whole share: dominant resource fairness among workflows",
		Reproduced:   "the worked example (2.5 hours on average become 2.0); workflows at least 1.2 times as fast as under DRF on average, few slower",
		Deviations: []string{
			"No graphs of tasks: Slurm shows none, so the tasks of a workflow count as independent, and those that still wait for others as not there.",
			"A workflow is what one user submits under one name.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving:  true,
	})
}
