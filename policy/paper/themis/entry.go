package themis

import (
	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// System describes Themis in the catalogue.
func System() paper.System {
	params := []paper.Param{
		{Name: "method", Kind: paper.Choice, Default: "auction", Choices: []string{"auction", "lp"},
			Help: "the paper's auction, or fractions of time that make the worst ratio smallest"},
		{Name: "fairness", Kind: paper.Number, Default: 0.8, Max: 1, Help: "f: the part 1-f of the jobs with the worst ratio bid first"},
		{Name: "lease", Kind: paper.Duration, Default: "20m", Min: 1, Help: "how long a job holds what it won"},
		{Name: "truthful", Kind: paper.Bool, Default: false, Help: "winners pay, with the end of their leases, what their taking part costs the others"},
		{Name: "alone", Kind: paper.Choice, Default: "gpus", Choices: []string{"gpus", "jobs"},
			Help: "a job alone on its part would be slowed by jobs for each GPU, or by jobs"},
		{Name: "round", Kind: paper.Duration, Default: "10m", Min: 1, Help: "lp: how long a turn lasts"},
		paper.MinRunParam, paper.MaxStopsParam, paper.PatientWaitParam,
	}
	return paper.System{
		Name: "themis", Title: "Themis: finish-time fairness by auction", Venue: "NSDI", Year: 2020,
		Cite:           `K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020`,
		Idea:           "Lease GPUs; offer those that come free to the jobs that are worst off against an equal part of the cluster.",
		Stages:         []string{"predict", "order", "lease", "backfill"},
		Needs:          []string{"how long a job still runs", "GPU time received"},
		Fallback:       "without predictions what a job received stands for what is left; a new one counts as long as the median of finished jobs, or an hour, so the longest normalised wait goes first",
		Reproduced:     "shares and hidden payments of two, three and five equal bidders; method lp: Shockwave's published makespans and average completion times of finish-time fairness within 1 %; worst ratio at most .8 of AlloX's and of the largest throughput's",
		Params:         params,
		Exact:          paper.Params{"round": "120s", "lease": "20m", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving: true,
		New: paper.Construct(params, func(v paper.Values) policy.Policy {
			return &Policy{Method: v.Text("method"), Fairness: v.Number("fairness"), Lease: v.Duration("lease"),
				Truthful: v.Flag("truthful"), Alone: v.Text("alone"), Round: v.Duration("round"),
				MinRun: v.Duration("min_run"), MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait")}
		}),
	}
}
