package paper

import "fairbridge/policy"

// Gavel's objectives, as they are written in the configuration.
const (
	maxMin       = "max-min"
	makespan     = "makespan"
	finishTime   = "finish-time-fairness"
	throughput   = "throughput"
	costs        = "cost"
	firstCome    = "fifo"
	shortest     = "sjf"
	hierarchical = "hierarchical"
)

func gavelEntry() Entry {
	params := []Param{
		{Name: "objective", Kind: Choice, Default: maxMin, Help: "what the fractions are for",
			Choices: []string{maxMin, makespan, finishTime, throughput, costs, firstCome, shortest, hierarchical}},
		{Name: "aware", Kind: Bool, Default: true, Help: "count how fast each job is on each GPU type; otherwise all types are alike"},
		{Name: "within", Kind: Choice, Default: "fairness", Choices: []string{"fairness", firstCome},
			Help: "how an account's share is divided among its jobs, for the hierarchical objective"},
		{Name: "costs", Kind: Table, Default: "", Help: "price of an hour by GPU type, for the cost objective; 1 where not given"},
		{Name: "deadlines", Kind: Bool, Default: false, Help: "for throughput and cost: keep the deadlines of jobs, as long as all can be kept"},
		{Name: "sharing", Kind: Bool, Default: false, Help: "let two jobs share GPUs where their owners accept it and they report how fast they are beside each other; for max-min, throughput and cost"},
		{Name: "round", Kind: Duration, Default: "10m", Min: 1, Help: "how long a turn lasts"},
		{Name: "recompute", Kind: Duration, Default: "1000s", Help: "least time between two computations of the fractions"},
		{Name: "conserve", Kind: Bool, Default: true, Help: "let jobs run where GPUs would idle before they have a fraction"},
		minRunParam, maxStopsParam, patientWaitParam,
	}
	return Entry{
		Name: "gavel", Title: "Gavel", Venue: "OSDI", Year: 2020,
		Cite:       `D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020`,
		Idea:       "Choose the fraction of time each job runs on each GPU type by an objective, and make turns of the fractions.",
		Stages:     []string{"predict", "order", "size", "lease", "pack", "backfill"},
		Needs:      []string{"speed by GPU type", "steps left, for makespan and finish-time-fairness", "account weights, for hierarchical"},
		Fallback:   "a job that reports no speeds counts as equally fast on all types, with its predicted remaining time; the objective max-min then equalises GPU time",
		Reproduced: "the published makespans and average completion times of four objectives on the traces of 120 and 220 jobs; gains of awareness on three GPU types",
		Params:     params,
		Exact:      Params{"round": "120s", "recompute": "1000s", "conserve": false, "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		New: construct(params, func(v values) policy.Policy {
			return &Gavel{
				Objective: v.text("objective"), Aware: v.flag("aware"), Within: v.text("within"), Costs: v.table("costs"),
				Deadlines: v.flag("deadlines"), Sharing: v.flag("sharing"),
				Round: v.duration("round"), Recompute: v.duration("recompute"), Conserve: v.flag("conserve"),
				MinRun: v.duration("min_run"), MaxStops: v.integer("max_stops"), MaxWait: v.duration("max_wait"),
			}
		}),
	}
}
