package gavel

import (
	"fairbridge/policy/paper"
)

// Gavel's objectives, as they are written in the configuration.
const (
	objectiveMaxMin       = "max-min"
	objectiveMakespan     = "makespan"
	ObjectiveFinishTime   = "finish-time-fairness"
	objectiveThroughput   = "throughput"
	objectiveCost         = "cost"
	objectiveFIFO         = "fifo"
	objectiveSJF          = "sjf"
	objectiveHierarchical = "hierarchical"
)

// System describes Gavel in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "gavel", Title: "Gavel", Venue: "OSDI", Year: 2020,
		Cite:         `D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020`,
		Idea:         "Choose the fraction of time each job runs on each GPU type by an objective, and make turns of the fractions.",
		OwnStages:    []string{"predict", "order", "size", "lease", "pack", "backfill"},
		NeededInputs: []string{"speed by GPU type", "steps left, for makespan and finish-time-fairness", "account weights, for hierarchical"},
		Fallback:     "a job that reports no speeds counts as equally fast on all types, with its predicted remaining time; the objective max-min then equalises GPU time",
		Reproduced:   "the published makespans and average completion times of four objectives on the traces of 120 and 220 jobs; gains of awareness on three GPU types",
		Deviations: []string{
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"On several GPU types many divisions are optimal; of these, one is taken in which the rest of the time goes where it brings most progress.",
			"GPUs are shared only where jobs report how fast they are beside each other; the paper estimates what was not measured.",
			"With conserve, the default outside simulations, jobs run where GPUs would idle before they have a fraction.",
		},
		SimulatorParams: paper.Params{"deadlines_count": "always", "round": "120s", "recompute": "1000s", "conserve": false, "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}
