package harmonyrl

import (
	"maps"

	"fairbridge/policy/paper"
	"fairbridge/policy/paper/harmony"
)

// System describes Harmony's agent in the catalogue.
func System() paper.System {
	params := maps.Clone(harmony.System().SimulatorParams)
	params["max_difference"] = 1.
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "harmony-rl", Title: "Harmony's agent: placements by a network taught in the simulator", Venue: "INFOCOM", Year: 2019,
		Cite:         `Y. Bao, Y. Peng, C. Wu, "Deep Learning-based Job Placement in Distributed Machine Learning Clusters", INFOCOM 2019`,
		Idea:         "Let a small network, which first learnt to take what raises the predicted reward most and then by how long jobs take, say one by one which waiting job goes where.",
		OwnStages:    harmony.System().OwnStages,
		NeededInputs: harmony.System().NeededInputs,
		Fallback: "where a score is no number, the weights are of another version, or the reward predicted for its placement is smaller than for the search's by more than max_difference, its teacher decides: harmony's search, and reasons say so; " +
			"the guard has the teacher decide where jobs took a tenth longer by the network in 24 hours. " + harmony.System().Fallback,
		Reproduced: "200 jobs of 2 to 8 GPUs on six servers of four, of which it learnt none, medians: at a load of .6, at which it learnt, harmony's search takes 1.03 times as long (.77 to 1.37, 60 seeds), at .7 1.09 times (.72 to 2.00, 30 seeds) and at .5 .99 times (.89 to 1.26, 30 seeds). " +
			"Bounded by the default max_difference it has the mean completion of the search (1.00): what it gains it gains where less is predicted of its placement. On workloads of another kind it is worse: 1.25 times the mean completion of the search on the small workload of our own",
		Deviations: []string{
			"One small network scores each job at each place, from what the transparent regression predicts there; the paper's sees types, demands and placements of all jobs at once.",
			"It is improved by evolution strategies, which try drawn changes of its weights, in place of actor and critic on a network that predicts rewards; its reward is mean completion in the simulator.",
			"It explores nothing, and never learns in live use: it is trained in the simulator by fairbridge-lab train harmony-rl.",
			"Of a batch it sees the first eight jobs that have no place yet, and where an earlier choice is in the way no choice is taken back.",
		},
		MayStarve:       true,
		Teacher:         paper.Params{"by": "search"},
		ObserveOnly:     "it was trained on drawn workloads only, and nobody has yet compared its decisions with the site's own",
		SimulatorParams: params,
	})
}
