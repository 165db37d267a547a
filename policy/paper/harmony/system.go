package harmony

import "fairbridge/policy/paper"

// System describes Harmony in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "harmony", Title: "Harmony: nodes by a reward learnt from jobs beside each other", Venue: "INFOCOM", Year: 2019,
		Cite:         `Y. Bao, Y. Peng, C. Wu, "Deep Learning-based Job Placement in Distributed Machine Learning Clusters", INFOCOM 2019`,
		Idea:         "Learn how much jobs of each class slow each other on a node, and place waiting jobs together where the sum of predicted speeds is largest.",
		OwnStages:    []string{"predict", "order", "place", "backfill"},
		NeededInputs: []string{"steps that jobs report, else how busy their GPUs are (to learn)", "model family, else how busy GPUs are (to tell classes apart)", "how long a job will run (for its weight)"},
		Fallback: "before anything was measured a neighbour on half of a node costs every job a tenth of its speed, and a class that was measured less than five times what all do on average; jobs of which neither steps nor use are known teach nothing; " +
			"a job of unknown length counts as long as the median of finished jobs",
		Reproduced: "200 jobs of 2 to 8 GPUs and eight classes on six servers of four, load .6, medians of 9 seeds: the best fixed placement of jobs by arrival takes 1.20 times as long (1.05 to 1.79), multifactor 1.15 times; " +
			"with Harmony's own order of jobs fixed placements take 1.02 times as long (.86 to 1.22), so that most comes from which jobs start. It has .97 of what it would gain with the true costs. Worked examples of pairs, and the best of all placements of three jobs in 20 draws",
		Deviations: []string{
			"The reward is predicted by ridge regression of how much of its speed a job loses beside jobs of each class, and placements are found by local search; the paper's networks, taught by actor and critic, are not there. An agent that learnt is harmony-rl.",
			"Jobs are gangs: their workers and parameter servers are not told apart.",
			"A job is only compared with itself, before and after its neighbours change, as nothing tells how fast it would be alone; how much being spread costs it is not learnt here.",
			"It explores nothing unless explore says so, which is for simulations. No job is stopped or moved.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}
