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
	"time"

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
	// Altruism is the part of workflows that give away what they need not use
	// now. 0 is dominant resource fairness among workflows.
	Altruism float64
	// SlackFloor is the part of the time to its fair end by which a task starts
	// before it must, in case predictions are wrong.
	SlackFloor float64
	Preempt    bool          // tasks that must run displace those that need not
	MinRun     time.Duration // shortest run before a job may be stopped
	MaxStops   int           // stops in a job's life; negative: any number
	MaxWait    time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (c *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	flows := newCarbyneFlows(s)
	d := &carbyneOrder{altruism: c.Altruism, slack: c.SlackFloor, flows: flows}
	p := engine.Pipeline{
		Name:     "carbyne",
		Predict:  predict.Ladder{},
		Share:    share.Dominant{},
		Order:    d,
		Backfill: backfill.Greedy{},
		Rules:    paper.Rules(c.MinRun, c.MaxStops, c.MaxWait),
	}
	if c.Preempt {
		p.Preempt = preempt.ByTier(d.tier)
	}
	return p.Decide(flows.snapshot)
}

// System describes Carbyne in the catalogue.
func System() paper.System {
	params := []paper.Param{
		{Name: "altruism", Kind: paper.Number, Default: 1., Max: 1, Help: "part of the workflows that give away what they need not use now; 0: plain fairness"},
		{Name: "slack_floor", Kind: paper.Number, Default: 0.1, Max: 1, Help: "part of the time to its fair end by which a task starts before it must"},
		{Name: "preempt", Kind: paper.Bool, Default: true, Help: "stop tasks that need not run now for those that must"},
		paper.MinRunParam, paper.MaxStopsParam, paper.MaxWaitParam,
	}
	return paper.System{
		Name: "carbyne", Title: "Carbyne: altruistic scheduling", Venue: "OSDI", Year: 2016,
		Cite:           `R. Grandl et al., "Altruistic Scheduling in Multi-Resource Clusters", OSDI 2016`,
		Idea:           "Run now only what must run now to end when a fair share would end it; the rest of the share helps short workflows.",
		Stages:         []string{"predict", "share", "order", "backfill", "preempt"},
		Needs:          []string{"remaining time of every task of a workflow", "GPUs, cores and memory asked", "account weights"},
		Fallback:       "a workflow with a task of unknown length keeps its whole share: dominant resource fairness among workflows",
		Reproduced:     "the worked example (2.5 hours on average become 2.0); workflows at least 1.2 times as fast as under DRF on average, few slower",
		MayStarve:      true,
		Params:         params,
		Exact:          paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving: true,
		New: paper.Construct(params, func(v paper.Values) policy.Policy {
			return &Policy{Altruism: v.Number("altruism"), SlackFloor: v.Number("slack_floor"), Preempt: v.Flag("preempt"),
				MinRun: v.Duration("min_run"), MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait")}
		}),
	}
}
