package multifactor

import (
	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// multifactorParams are Slurm's settings. All its weights are 0 by default,
// which is first come, first served; these are those of the example in its
// documentation.
func multifactorParams() []paper.Param {
	return []paper.Param{
		{Name: "age", Kind: paper.Number, Default: 1000, Help: "PriorityWeightAge; Slurm's own default is 0, as of all weights"},
		{Name: "fairshare", Kind: paper.Number, Default: 10000, Help: "PriorityWeightFairshare"},
		{Name: "size", Kind: paper.Number, Default: 1000, Help: "PriorityWeightJobSize"},
		{Name: "partition", Kind: paper.Number, Default: 1000, Help: "PriorityWeightPartition"},
		{Name: "qos", Kind: paper.Number, Default: 0, Help: "PriorityWeightQOS"},
		{Name: "gpus", Kind: paper.Number, Default: 0, Help: "PriorityWeightTRES of gres/gpu"},
		{Name: "max_age", Kind: paper.Duration, Default: "168h", Min: 1, Help: "PriorityMaxAge"},
		{Name: "half_life", Kind: paper.Duration, Default: "168h", Min: 1, Help: "PriorityDecayHalfLife, for usage that accounting does not have"},
		{Name: "favor_small", Kind: paper.Bool, Default: false, Help: "PriorityFavorSmall"},
		{Name: "fair_share", Kind: paper.Choice, Default: "tree", Choices: []string{"tree", "classic"}, Help: "Fair Tree, or PriorityFlags=NO_FAIR_TREE"},
		{Name: "qos_order", Kind: paper.Names, Default: []string{}, Help: "QOS names, the highest first"},
		{Name: "partition_order", Kind: paper.Names, Default: []string{}, Help: "partition names, the highest first"},
		{Name: "preempt", Kind: paper.Choice, Default: "none", Choices: []string{"none", "qos"}, Help: "PreemptType: nobody, or QOS by qos_order"},
		{Name: "depth", Kind: paper.Integer, Default: 500, Min: 1, Help: "bf_max_job_test: blocked jobs with a reservation"},
		{Name: "window", Kind: paper.Duration, Default: "24h", Min: 1, Help: "bf_window: how far ahead reservations are made"},
		paper.MinRunParam, paper.MaxStopsParam,
		{Name: "max_wait", Kind: paper.Duration, Default: "0s", Help: paper.MaxWaitParam.Help},
	}
}

// System describes Slurm's multifactor priority in the catalogue.
func System() paper.System {
	return paper.System{
		Name: "multifactor", Title: "Slurm's multifactor priority with backfill", Venue: "JSSPP", Year: 2003,
		Cite:       `A. Yoo, M. Jette, M. Grondona, "SLURM: Simple Linux Utility for Resource Management", JSSPP 2003; Slurm documentation, "Multifactor Priority Plugin"`,
		Idea:       "What Slurm does by itself: a weighted sum of age, fair share, size, partition and QOS, with a reservation for every blocked job.",
		Stages:     []string{"order", "backfill", "preempt"},
		Needs:      []string{"time limits", "shares and usage of accounts and users"},
		Fallback:   "without usage from accounting it counts what jobs received itself; a job without a limit runs a year",
		Reproduced: "the order of a simulated slurmctld on the same jobs and usage; Fair Tree examples",
		Params:     multifactorParams(),
		New:        paper.Construct(multifactorParams(), newMultifactor),
	}
}

func newMultifactor(v paper.Values) policy.Policy {
	return &Policy{
		Weights: Weights{Age: v.Number("age"), FairShare: v.Number("fairshare"), Size: v.Number("size"),
			Partition: v.Number("partition"), QOS: v.Number("qos"), GPUs: v.Number("gpus")},
		MaxAge: v.Duration("max_age"), HalfLife: v.Duration("half_life"), FavorSmall: v.Flag("favor_small"),
		Classic: v.Text("fair_share") == "classic", QOS: v.Names("qos_order"), Partitions: v.Names("partition_order"),
		PreemptQOS: v.Text("preempt") == "qos", Depth: v.Integer("depth"), Window: v.Duration("window"),
		MinRun: v.Duration("min_run"), MaxStops: v.Integer("max_stops"), MaxWait: v.Duration("max_wait"),
	}
}
