package themis

import (
	"fairbridge/policy/paper"
)

// System describes Themis in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "themis", Title: "Themis: finish-time fairness by auction", Venue: "NSDI", Year: 2020,
		Cite:            `K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020`,
		Idea:            "Lease GPUs; offer those that come free to the jobs that are worst off against an equal part of the cluster.",
		OwnStages:       []string{"predict", "order", "lease", "backfill"},
		NeededInputs:    []string{"how long a job still runs", "GPU time received"},
		Fallback:        "without predictions what a job received stands for what is left; a new one counts as long as the median of finished jobs, or an hour, so the longest normalised wait goes first",
		Reproduced:      "shares and hidden payments of two, three and five equal bidders; method lp: Shockwave's published makespans and average completion times of finish-time fairness within 1 %; worst ratio at most .8 of AlloX's and of the largest throughput's",
		SimulatorParams: paper.Params{"round": "120s", "lease": "20m", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving:  true,
	})
}
