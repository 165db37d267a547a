package gavel

import (
	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// Gavel's objectives, as they are written in the configuration.
const (
	maxMin       = "max-min"
	makespan     = "makespan"
	FinishTime   = "finish-time-fairness"
	throughput   = "throughput"
	costs        = "cost"
	firstCome    = "fifo"
	shortest     = "sjf"
	hierarchical = "hierarchical"
)

// System describes Gavel in the catalogue.
func System() paper.System {
	params := []paper.Param{
		{Name: "objective", Kind: paper.Choice, Default: maxMin, Help: "what the fractions are for",
			Choices: []string{maxMin, makespan, FinishTime, throughput, costs, firstCome, shortest, hierarchical}},
		{Name: "aware", Kind: paper.Bool, Default: true, Help: "count how fast each job is on each GPU type; otherwise all types are alike"},
		{Name: "within", Kind: paper.Choice, Default: "fairness", Choices: []string{"fairness", firstCome},
			Help: "how an account's share is divided among its jobs, for the hierarchical objective"},
		{Name: "costs", Kind: paper.Table, Default: "", Help: "price of an hour by GPU type, for the cost objective; 1 where not given"},
		{Name: "deadlines", Kind: paper.Bool, Default: false, Help: "for throughput and cost: keep the deadlines of jobs, as long as all can be kept"},
		{Name: "sharing", Kind: paper.Bool, Default: false, Help: "let two jobs share GPUs where their owners accept it and they report how fast they are beside each other; for max-min, throughput and cost"},
		{Name: "round", Kind: paper.Duration, Default: "10m", Min: 1, Help: "how long a turn lasts"},
		{Name: "recompute", Kind: paper.Duration, Default: "1000s", Help: "least time between two computations of the fractions"},
		{Name: "conserve", Kind: paper.Bool, Default: true, Help: "let jobs run where GPUs would idle before they have a fraction"},
		paper.MinRunParam, paper.MaxStopsParam, paper.PatientWaitParam,
	}
	return paper.System{
		Name: "gavel", Title: "Gavel", Venue: "OSDI", Year: 2020,
		Cite:       `D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020`,
		Idea:       "Choose the fraction of time each job runs on each GPU type by an objective, and make turns of the fractions.",
		Stages:     []string{"predict", "order", "size", "lease", "pack", "backfill"},
		Needs:      []string{"speed by GPU type", "steps left, for makespan and finish-time-fairness", "account weights, for hierarchical"},
		Fallback:   "a job that reports no speeds counts as equally fast on all types, with its predicted remaining time; the objective max-min then equalises GPU time",
		Reproduced: "the published makespans and average completion times of four objectives on the traces of 120 and 220 jobs; gains of awareness on three GPU types",
		Params:     params,
		Exact:      paper.Params{"round": "120s", "recompute": "1000s", "conserve": false, "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		New: paper.Construct(params, func(v paper.Values) policy.Policy {
			return &Policy{
				Objective: v.Text("objective"), Aware: v.Flag("aware"), Within: v.Text("within"), Costs: v.Table("costs"),
				Deadlines: v.Flag("deadlines"), Sharing: v.Flag("sharing"),
				Round: v.Duration("round"), Recompute: v.Duration("recompute"), Conserve: v.Flag("conserve"),
				MinRun: v.Duration("min_run"), MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait"),
			}
		}),
	}
}
