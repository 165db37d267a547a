package paper

import "fairbridge/policy"

// multifactorParams are Slurm's settings. All its weights are 0 by default,
// which is first come, first served; these are those of the example in its
// documentation.
func multifactorParams() []Param {
	return []Param{
		{Name: "age", Kind: Number, Default: 1000, Help: "PriorityWeightAge; Slurm's own default is 0, as of all weights"},
		{Name: "fairshare", Kind: Number, Default: 10000, Help: "PriorityWeightFairshare"},
		{Name: "size", Kind: Number, Default: 1000, Help: "PriorityWeightJobSize"},
		{Name: "partition", Kind: Number, Default: 1000, Help: "PriorityWeightPartition"},
		{Name: "qos", Kind: Number, Default: 0, Help: "PriorityWeightQOS"},
		{Name: "gpus", Kind: Number, Default: 0, Help: "PriorityWeightTRES of gres/gpu"},
		{Name: "max_age", Kind: Duration, Default: "168h", Min: 1, Help: "PriorityMaxAge"},
		{Name: "half_life", Kind: Duration, Default: "168h", Min: 1, Help: "PriorityDecayHalfLife, for usage that accounting does not have"},
		{Name: "favor_small", Kind: Bool, Default: false, Help: "PriorityFavorSmall"},
		{Name: "fair_share", Kind: Choice, Default: "tree", Choices: []string{"tree", "classic"}, Help: "Fair Tree, or PriorityFlags=NO_FAIR_TREE"},
		{Name: "qos_order", Kind: Names, Default: []string{}, Help: "QOS names, the highest first"},
		{Name: "partition_order", Kind: Names, Default: []string{}, Help: "partition names, the highest first"},
		{Name: "preempt", Kind: Choice, Default: "none", Choices: []string{"none", "qos"}, Help: "PreemptType: nobody, or QOS by qos_order"},
		{Name: "depth", Kind: Integer, Default: 500, Min: 1, Help: "bf_max_job_test: blocked jobs with a reservation"},
		{Name: "window", Kind: Duration, Default: "24h", Min: 1, Help: "bf_window: how far ahead reservations are made"},
		minRunParam, maxStopsParam,
		{Name: "max_wait", Kind: Duration, Default: "0s", Help: maxWaitParam.Help},
	}
}

func multifactorEntry() Entry {
	return Entry{
		Name: "multifactor", Title: "Slurm's multifactor priority with backfill", Venue: "JSSPP", Year: 2003,
		Cite:       `A. Yoo, M. Jette, M. Grondona, "SLURM: Simple Linux Utility for Resource Management", JSSPP 2003; Slurm documentation, "Multifactor Priority Plugin"`,
		Idea:       "What Slurm does by itself: a weighted sum of age, fair share, size, partition and QOS, with a reservation for every blocked job.",
		Stages:     []string{"order", "backfill", "preempt"},
		Needs:      []string{"time limits", "shares and usage of accounts and users"},
		Fallback:   "without usage from accounting it counts what jobs received itself; a job without a limit runs a year",
		Reproduced: "the order of a simulated slurmctld on the same jobs and usage; Fair Tree examples",
		Params:     multifactorParams(),
		New:        construct(multifactorParams(), newMultifactor),
	}
}

func newMultifactor(v values) policy.Policy {
	return &Multifactor{
		Weights: Weights{Age: v.number("age"), FairShare: v.number("fairshare"), Size: v.number("size"),
			Partition: v.number("partition"), QOS: v.number("qos"), GPUs: v.number("gpus")},
		MaxAge: v.duration("max_age"), HalfLife: v.duration("half_life"), FavorSmall: v.flag("favor_small"),
		Classic: v.text("fair_share") == "classic", QOS: v.names("qos_order"), Partitions: v.names("partition_order"),
		PreemptQOS: v.text("preempt") == "qos", Depth: v.integer("depth"), Window: v.duration("window"),
		MinRun: v.duration("min_run"), MaxStops: v.integer("max_stops"), MaxWait: v.duration("max_wait"),
	}
}
