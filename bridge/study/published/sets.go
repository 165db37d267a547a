package published

// Policies of the artifact and how a command line names ours.
const (
	proportionalPolicy = "proportional"
	maxMinPolicy       = "gavel"
	finishTimePolicy   = "gavel:objective=finish-time-fairness"
	throughputPolicy   = "gavel:objective=throughput"
	makespanPolicy     = "gavel:objective=makespan"
	alloxPolicy        = "allox"
	shockwavePolicy    = "shockwave"
)

var resultSets = []ResultSet{
	{"Shockwave artifact, 120 jobs on 32 GPUs", 120, 32, "bf1e26126e902c44", []ResultRow{
		{"gandiva_fair", proportionalPolicy, ArtifactSource, 32367.434, 12574.272, 1.85361, 1.016911, 0.51667, 0.61049, 0},
		{"max_min_fairness", maxMinPolicy, ArtifactSource, 33207.663, 11274.117, 2.94699, 0.89975, 0.25, 0.59489, 0},
		{"finish_time_fairness", finishTimePolicy, ArtifactSource, 31928.739, 11301.977, 3.43763, 0.888782, 0.225, 0.61871, 0},
		{"allox", alloxPolicy, ArtifactSource, 32488.621, 9926.307, 4.96351, 0.972573, 0.275, 0.60813, 0},
		{"max_sum_throughput_perf", throughputPolicy, ArtifactSource, 31909.031, 9654.7, 4.97576, 0.827592, 0.25, 0.61912, 0},
		{"min_total_duration", makespanPolicy, ArtifactSource, 24204.816, 19806.728, 7.74147, 2.113743, 0.74167, 0.81612, 0},
		{"shockwave", shockwavePolicy, ArtifactSource, 24197.424, 9958.486, 1.78379, 0.745757, 0.05, 0.81711, 120},
		{"shockwave, its better run", shockwavePolicy, ArtifactSource, 23399.413, 9943.751, 1.49627, 0.743858, 0.04167, 0.83714, 0},
	}},
	{"Shockwave artifact, 220 jobs on 64 GPUs", 220, 64, "a6cc9a8073f796c8", []ResultRow{
		{"gandiva_fair", proportionalPolicy, RerunSource, 31472.088, 10895.259, 1.77768, 0.953684, 0.4, 0.65698, 9.5},
		{"max_min_fairness", maxMinPolicy, RerunSource, 33872.299, 9225.561, 3.37839, 0.81816, 0.15455, 0.61019, 9.6},
		{"finish_time_fairness", finishTimePolicy, RerunSource, 32452.466, 9885.037, 3.18488, 0.872781, 0.23636, 0.63696, 12.1},
		{"allox", alloxPolicy, RerunSource, 33872.463, 8133.651, 3.20634, 0.792337, 0.22273, 0.61032, 7.1},
		{"max_sum_throughput_perf", throughputPolicy, RerunSource, 35918.918, 9310.465, 6.86701, 0.913201, 0.25, 0.5762, 10.1},
		{"min_total_duration", makespanPolicy, RerunSource, 25292.737, 19777.288, 8.73554, 2.318042, 0.77273, 0.81745, 14.0},
		{"shockwave", shockwavePolicy, RerunSource, 24815.403, 8523.675, 2.48439, 0.696905, 0.05455, 0.83341, 365},
	}},
}
