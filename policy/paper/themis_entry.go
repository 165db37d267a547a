package paper

import "fairbridge/policy"

func themisEntry() Entry {
	params := []Param{
		{Name: "method", Kind: Choice, Default: "auction", Choices: []string{"auction", "lp"},
			Help: "the paper's auction, or fractions of time that make the worst ratio smallest"},
		{Name: "fairness", Kind: Number, Default: 0.8, Max: 1, Help: "f: the part 1-f of the jobs with the worst ratio bid first"},
		{Name: "lease", Kind: Duration, Default: "20m", Min: 1, Help: "how long a job holds what it won"},
		{Name: "truthful", Kind: Bool, Default: false, Help: "winners pay, with the end of their leases, what their taking part costs the others"},
		{Name: "alone", Kind: Choice, Default: "gpus", Choices: []string{"gpus", "jobs"},
			Help: "a job alone on its part would be slowed by jobs for each GPU, or by jobs"},
		{Name: "round", Kind: Duration, Default: "10m", Min: 1, Help: "lp: how long a turn lasts"},
		minRunParam, maxStopsParam, patientWaitParam,
	}
	return Entry{
		Name: "themis", Title: "Themis: finish-time fairness by auction", Venue: "NSDI", Year: 2020,
		Cite:           `K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020`,
		Idea:           "Lease GPUs; offer those that come free to the jobs that are worst off against an equal part of the cluster.",
		Stages:         []string{"predict", "order", "lease", "backfill"},
		Needs:          []string{"how long a job still runs", "GPU time received"},
		Fallback:       "without predictions what a job received stands for what is left; a new one counts as long as the median of finished jobs, or an hour, so the longest normalised wait goes first",
		Reproduced:     "shares and hidden payments of two, three and five equal bidders; method lp: Shockwave's published makespans and average completion times of finish-time fairness within 1 %; worst ratio at most .8 of AlloX's and of the largest throughput's",
		Params:         params,
		Exact:          Params{"round": "120s", "lease": "20m", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving: true,
		New: construct(params, func(v values) policy.Policy {
			return &Themis{Method: v.text("method"), Fairness: v.number("fairness"), Lease: v.duration("lease"),
				Truthful: v.flag("truthful"), Alone: v.text("alone"), Round: v.duration("round"),
				MinRun: v.duration("min_run"), MaxStops: v.integer("max_stops"), MaxWait: v.duration("max_wait")}
		}),
	}
}
