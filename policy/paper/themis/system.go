package themis

import (
	"fairbridge/policy/paper"
)

// System describes Themis in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "themis", Title: "Themis: finish-time fairness by auction", Venue: "NSDI", Year: 2020,
		Cite:         `K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020`,
		Idea:         "Lease GPUs; offer those that come free to the jobs that are worst off against an equal part of the cluster.",
		OwnStages:    []string{"predict", "order", "lease", "backfill"},
		NeededInputs: []string{"how long a job still runs", "GPU time received"},
		Fallback:     "without predictions what a job received stands for what is left; a new one counts as long as the median of finished jobs, or an hour, so the longest normalised wait goes first",
		Reproduced: "shares and hidden payments of two, three and five equal bidders; method lp: Shockwave's published makespans and average completion times of finish-time fairness within 1 %; worst ratio at most .8 of AlloX's and of the largest throughput's; " +
			"where half of the gangs take 1.6 times as long spread, .23 of the worst ratio under Tiresias (.16 to .38 over 5 seeds; the paper: 1/2.25)",
		Deviations: []string{
			"A job is an application of its own: Slurm shows no group of jobs that are tuned together.",
			"A bid is for the whole gang or nothing, at one speed however the GPUs are spread: no bids by locality.",
			"With alone=jobs, the paper's equal part, its worst ratio is .98 of that under Tiresias there: by that measure every job could use all GPUs, and ratios are measured by GPUs.",
			"Owners do not bid: all bids are made from the same predictions.",
			"What the auction leaves goes first to jobs that run, which then need not stop, then by ρ; the paper draws lots.",
		},
		SimulatorParams: paper.Params{"round": "120s", "lease": "20m", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving:  true,
	})
}
