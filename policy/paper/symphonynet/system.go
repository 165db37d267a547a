package symphonynet

import (
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/symphony"
)

// System describes Symphony's network in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "symphony-net", Title: "Symphony's network: a belief about noisy counters, corrected by what was learnt in the simulator", Venue: "ICML", Year: 2020,
		Cite:         `S. S. Banerjee, S. Jha, Z. T. Kalbarczyk, R. K. Iyer, "Inductive-bias-driven Reinforcement Learning for Efficient Schedules in Heterogeneous Clusters", ICML 2020`,
		Idea:         "Let a small network, which sees what a filter believes of noisy counters and how far these are from it, correct that within bounds, and pack as symphony does.",
		OwnStages:    symphony.System().OwnStages,
		NeededInputs: symphony.System().NeededInputs,
		Fallback: "where a correction is no number, the weights are of another version, or the network foretold readings worse than the filter did by a fiftieth over 2,000 of them, its teacher decides: the filter, and reasons say so; " +
			"no belief is changed by more than max_difference; the guard has the teacher decide where jobs took a tenth longer by the network in 24 hours. " + symphony.System().Fallback,
		Reproduced: "on nine drawn days of the kind it learnt on, of which it learnt none, medians: beliefs of jobs alone on their GPUs err by .38 of what the latest readings do (.37 to .40; the filter's .44), those of jobs that share them by .30 (.24 to .35; .34), " +
			"which is .88 and .86 of the filter's errors; the part of pairs that are wrong is .07 of that by the latest readings (0 to .21; the filter's .13), of .99 as many pairs. Jobs are no faster by it: 1.00 of the mean completion by the filter (.99 to 1.01)",
		Deviations: []string{
			"The network corrects what is believed, and whom a job joins is symphony's rule; the paper's places kernels itself, within microseconds.",
			"It learns by regression on what jobs truly use, which the simulator knows; the paper's agent learns by rewards, through samples of its belief.",
			"It is fully connected and small, and sees means of earlier readings; the paper's has the shape of its Bayesian network of a machine's counters, of which we read the utilisation of GPUs alone.",
			"It never learns in live use: it is trained in the simulator by fairbridge-lab train symphony-net.",
		},
		Teacher:         paper.Params{"by": "filter"},
		ObserveOnly:     "it was trained on drawn workloads only, and nobody has yet compared its decisions with the site's own",
		SimulatorParams: symphony.System().SimulatorParams,
	})
}
