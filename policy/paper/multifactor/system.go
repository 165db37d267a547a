package multifactor

import (
	"fairbridge/policy/paper"
)

// System describes Slurm's multifactor priority in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "multifactor", Title: "Slurm's multifactor priority with backfill", Venue: "JSSPP", Year: 2003,
		Cite:         `A. Yoo, M. Jette, M. Grondona, "SLURM: Simple Linux Utility for Resource Management", JSSPP 2003; Slurm documentation, "Multifactor Priority Plugin"`,
		Idea:         "What Slurm does by itself: a weighted sum of age, fair share, size, partition and QOS, with a reservation for every blocked job.",
		OwnStages:    []string{"order", "backfill", "preempt"},
		NeededInputs: []string{"time limits", "shares and usage of accounts and users"},
		Fallback:     "without usage from accounting it counts what jobs received itself; a job without a limit runs a year",
		Reproduced:   "the order of a simulated slurmctld on the same jobs and usage; Fair Tree examples",
		Deviations: []string{
			"The site and association factors and TRES other than GPUs count nothing.",
			"Backfill looks at all jobs in every decision: bf_interval and the limits on its running time are not there.",
			"A job that its backfill keeps back waits and is not held: beside Slurm, Slurm's own backfill decides.",
			"With preempt=qos, the GPUs of a job that is preempted after the first reservation of a decision count as its own until its limit in the later ones.",
		},
	})
}
