package swayam

import "fairbridge/policy/paper"

// System describes Swayam in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "swayam", Title: "Swayam: as many replicas of inference services as their promise needs", Venue: "Middleware", Year: 2017,
		Cite:         `A. Gujarati et al., "Swayam: Distributed Autoscaling to Meet SLAs of Machine Learning Inference Services with Resource Efficiency", Middleware 2017`,
		Idea:         "Start replicas by the rate of requests that is forecast for when they are ready, so that the promised part of the answers is in time, and stop those that were not needed for a while.",
		OwnStages:    []string{"predict", "admit", "allocate", "preempt", "backfill"},
		NeededInputs: []string{"inference services: their promise, time of a request, time to set up, and requests a second", "which jobs are their replicas"},
		Fallback:     "where one replica that should report its requests is silent all run; where none should, replicas are scaled by how busy their GPUs are, and without that all run; without inference services, as under Slurm today, it is first come, first served with backfilling",
		Reproduced: "fifteen services drawn over a day, five draws: on .65 (.63-.68) of the GPU time that all replicas of their busiest minutes take, 99 % of the answers are in time in .999 (.998-1.000) of the minutes (the paper: .96); " +
			"scaled by how busy they are, on as much GPU time, they are not in 2.5 (1.8-16) times as many, though fewer answers are late. Front-ends that do not ask each other, in three hours: .9996 of the minutes, on 1.22 (1.20-1.22) times what a clairvoyant takes (the paper: up to 27 % less, which is not reproduced)",
		Deviations: []string{
			"One decision counts the replicas of a service; the paper's front-ends each scale out by their own part of the requests, and replicas that none uses leave by themselves. Studies simulate those front-ends.",
			"Answers in time are reckoned by the queue M/M/n, one line for all replicas; the paper has log-normal times and front-ends that try busy replicas one after the other.",
			"A start takes as long as Slurm and the replica need, minutes where the paper has tens of seconds: forecasts look that far ahead, and what grows faster is answered late.",
			"One replica at most is stopped within the time for which it must be idle, and only one whose owner lets it be stopped; by default only where a waiting job gets its GPUs, as nothing is gained otherwise (release=at-once: always).",
			"Jobs in a service's partition give way to its replicas if they may be stopped.",
		},
		SimulatorParams: paper.Params{"max_wait": "0s", "release": "at-once"},
	})
}
